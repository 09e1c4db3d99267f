import { openPostgresStore } from "../../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { PromptStrataError } from "../../../../../src/core/errors.ts"
import { mulberry32 } from "../../../../../src/core/mulberry.ts"
import { diceOf } from "../../../../support/dice.ts"
import { stateAfter } from "../../../../support/turn-states.ts"
import { jobOf, keyOf, said } from "./turns.ts"

/** The settings of a process that commits turns. */
export interface WebSettings {
  readonly url: string
  readonly agent: string
  /** The beginning of the ids of its turns. */
  readonly name: string
  readonly seed: number
  readonly turns: number
  /** The number of conversations, which all processes share. */
  readonly conversations: number
  readonly users: number
}

/** Commits turns, each after the newest commit of any process, and writes a line for each acknowledged turn. */
const { url, agent, name, seed, turns, conversations, users } = JSON.parse(process.argv[2] ?? "{}") as WebSettings
const dice = diceOf(mulberry32(seed))
// The same time limit as the workers have: a job keeps the limit with which it was written.
const store = await openPostgresStore({ url, maxConnections: 3, onWarning: () => undefined, jobs: { timeoutMs: 2_000 } })

async function commitTurn(turnId: string): Promise<string> {
  const key = keyOf(`conversation ${dice.below(conversations)}`, { agent, user: `user ${dice.below(users)}` })
  for (;;) {
    // Every other time it uses the cached session, if no other process wrote to it.
    const record = await store.load(key, dice.below(2) === 0 ? {} : { last: 2 })
    const append = [said(turnId), { ...said(turnId), role: "assistant" as const }]
    const jobs = [jobOf(`job of ${turnId}`, key, { turnId })]
    try {
      await store.commit(key, { expectVersion: record?.version ?? 0, append, state: stateAfter(record, turnId), jobs })
      return key.conversation
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict") throw error
    }
  }
}

console.log("ready")
for (let turn = 0; turn < turns; turn++) console.log(`ack ${name}-${turn}`, await commitTurn(`${name}-${turn}`))
await store.close()
