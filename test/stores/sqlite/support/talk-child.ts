import { PromptStrataError } from "../../../../src/core/errors.ts"
import { openSqliteStore } from "../../../../src/stores/sqlite/open-sqlite-store.ts"
import { stateAfter } from "../../../support/turn-states.ts"
import { turnOf } from "./turns.ts"

/** What a process that talks is told. */
export interface TalkSettings {
  readonly file: string
  /** Begins the ids of its turns. */
  readonly name: string
  readonly turns: number
  readonly conversations: number
}

/** Commits turns, each with a job and against whatever others committed meanwhile, and writes a line for each that was acknowledged. */
const { file, name, turns, conversations } = JSON.parse(process.argv[2] ?? "{}") as TalkSettings
const store = await openSqliteStore(file)
console.log("ready")
for (let turn = 0; turn < turns; turn++) {
  const turnId = `${name}-${turn}`
  const { key, commit } = turnOf(turnId, `conversation ${turn % conversations}`)
  for (;;) {
    // Each other time as one that knows the session already, if nobody else wrote to it.
    const record = await store.load(key, turn % 2 === 0 ? {} : { last: 0 })
    try {
      await store.commit(key, { ...commit, state: stateAfter(record, turnId), expectVersion: record?.version ?? 0 })
      break
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict") throw error
    }
  }
  console.log(`ack ${turnId}`)
}
await store.close()
