import { openSqliteStore } from "../../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { PromptStrataError } from "../../../../../src/core/errors.ts"
import { stateAfter } from "../../../../support/turn-states.ts"
import { turnOf } from "./turns.ts"

/** The settings of a process that commits turns. */
export interface TalkSettings {
  readonly file: string
  /** The beginning of the ids of its turns. */
  readonly name: string
  readonly turns: number
  readonly conversations: number
  /** True if all conversations talk at the same time. */
  readonly atOnce?: boolean
}

/** Commits turns with jobs, each after the newest commit of any process, and writes a line for each acknowledged turn. */
const { file, name, turns, conversations, atOnce = false } = JSON.parse(process.argv[2] ?? "{}") as TalkSettings
const store = await openSqliteStore(file)
console.log("ready")
const talkers = atOnce ? conversations : 1
const talk = async (first: number): Promise<void> => {
  for (let turn = first; turn < turns; turn += talkers) await say(turn)
}
await Promise.all(Array.from({ length: talkers }, (_, at) => talk(at)))
await store.close()

async function say(turn: number): Promise<void> {
  const turnId = `${name}-${turn}`
  const { key, commit } = turnOf(turnId, `conversation ${turn % conversations}`)
  for (;;) {
    // Every other time the whole session is asked for.
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
