import { PromptStrataError } from "../../../../src/core/errors.ts"
import { openSqliteStore } from "../../../../src/stores/sqlite/open-sqlite-store.ts"
import { stateAfter } from "../../../support/turn-states.ts"
import { turnOf } from "./turns.ts"

/** The settings of a process that commits turns. */
export interface TalkSettings {
  readonly file: string
  /** The beginning of the ids of its turns. */
  readonly name: string
  readonly turns: number
  readonly conversations: number
}

/** Commits turns with jobs, each after the newest commit of any process, and writes a line for each acknowledged turn. */
const { file, name, turns, conversations } = JSON.parse(process.argv[2] ?? "{}") as TalkSettings
const store = await openSqliteStore(file)
console.log("ready")
for (let turn = 0; turn < turns; turn++) {
  const turnId = `${name}-${turn}`
  const { key, commit } = turnOf(turnId, `conversation ${turn % conversations}`)
  for (;;) {
    // Every other time it uses the cached session, if no other process wrote to it.
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
