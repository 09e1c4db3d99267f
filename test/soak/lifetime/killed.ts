import { readFileSync } from "node:fs"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { lifeAgent } from "./life-agent.ts"
import { dialogueText } from "./life-words.ts"

/** The settings of a process beside the long life that talks until it is killed. */
export interface KilledSettings {
  readonly file: string
  /** A file with the id of each turn that was acknowledged to a process before this one, one a line. */
  readonly acknowledged: string
  /** True for the last one: it only looks, waits for all jobs and ends by itself. */
  readonly isLast: boolean
}

const conversations = ["kin 0", "kin 1", "kin 2"]

const { file, acknowledged, isLast } = JSON.parse(process.argv[2] ?? "{}") as KilledSettings
const store = await openSqliteStore(file, { leaseMs: 300, pollMs: 50 })
const found = new Set<string>()
for (const conversation of conversations) {
  const { history = [] } = (await store.load({ agent: "kin", conversation, audience: "private" })) ?? {}
  for (const { turnId } of history) found.add(turnId)
}
const expected = readFileSync(acknowledged, "utf8").split("\n").filter(Boolean)
for (const turnId of expected) if (!found.has(turnId)) console.log(`warning The acknowledged turn ${turnId} is lost.`)
console.log(`found ${expected.length}`)

const agent = lifeAgent("kin", store)
for (let turn = 0; !isLast; turn++) {
  const session = agent.session(conversations[turn % conversations.length] ?? "")
  const result = await session.send(dialogueText(turn, `word of ${process.pid}`)).result
  console.log(result.ok ? `ack ${result.trace.turnId}` : `warning ${result.error.message}`)
}
await agent.idle()
await agent.close()
await store.close()
