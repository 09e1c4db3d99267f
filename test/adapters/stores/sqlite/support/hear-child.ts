import { openSqliteStore } from "../../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createAgent } from "../../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../../../src/testing/index.ts"

/** The settings of a process that hears a group. */
export interface HearSettings {
  readonly file: string
  /** The beginning of everything that it hears. */
  readonly name: string
}

/** Hears several speakers at a time without end, and writes a line for each words that were acknowledged. */
const { file, name } = JSON.parse(process.argv[2] ?? "{}") as HearSettings
const store = await openSqliteStore(file)
const profile = resolveProfile({ name: "test", dialect: "fay", agent: { id: "test" }, persona: "p" })
const session = createAgent({ profile, model: scriptedModel([]), store }).session({ conversation: "group", audience: "group" })
const speak = async (id: string): Promise<void> => {
  for (let at = 0; ; at++) {
    const text = `${name}-${id}-${at}`
    await session.hear(text, { from: { id, name: id } })
    console.log(`ack ${text}`)
  }
}
await Promise.all(["ada", "bob", "cyd"].map(speak))
