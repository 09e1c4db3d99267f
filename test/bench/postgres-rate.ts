import { parseArgs } from "node:util"
import pg from "pg"
import { openPostgresStore } from "../../src/adapters/stores/postgres/open-postgres-store.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { startPostgres } from "../support/postgres-server.ts"
import { isOfEngine, watchPostgres } from "../support/watch-postgres.ts"
import { median } from "./measure.ts"

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: "boolean", default: false } } })

/**
 * Turns a second on a PostgreSQL of its own that waits for the disk: bare transactions of the rows of a remembered turn, turns without
 * memory, and turns with memory and all work behind them, in turn, medians of the rounds; and what a remembered turn sends to the server.
 * `node test/bench/postgres-rate.ts [turns of a conversation] [--check]`: with `--check` it fails where a gate does.
 */
const turns = Number(positionals[0] ?? 20)
/** Conversations, each of a user of its own. All talk at the same time. */
const users = 16
const rounds = 3
/**
 * Bounds of a remembered turn with its work where twenty turns are judged together, below those of M13, so that no doubling passes: 2
 * and some 13 were counted. And of the time until all work is done, to that of the talk.
 */
const most = { transactions: 3, statements: 18, drained: 2 }

const answer = "An answer that is about as long as the words before it, so that both count alike."
const wordsOf = (user: number, turn: number): string =>
  `On day ${turn} user ${user} carried ${turn * 7 + user} boxes of apples up to the house beside the old harbour.`

const judging: LanguageModel = {
  id: "judging",
  capabilities: { developerRole: false, tools: false },
  async *stream({ facts }) {
    const judged = { importance: 8, profile: {} }
    yield { type: "text-delta", delta: JSON.stringify(facts?.background ? judged : { action: "finish", message: answer }) }
    yield { type: "finish", reason: "stop" }
  },
}

const server = await startPostgres({ durable: true })
const all: {
  readonly bare: number
  readonly plain: Awaited<ReturnType<typeof turnRate>>
  readonly remembered: Awaited<ReturnType<typeof turnRate>>
}[] = []
try {
  for (let round = 0; round < rounds; round++)
    all.push({ bare: await bareRate(round), plain: await turnRate(round, false), remembered: await turnRate(round, true) })
} finally {
  await server.stop()
}
const middle = (of: (round: (typeof all)[number]) => number): number => median(all.map(of))
const share = (name: "plain" | "remembered"): string =>
  `${middle((round) => round[name].rate).toFixed(0)} a second, ${middle((round) => round[name].rate / round.bare).toFixed(2)} × bare`
const drained = middle(({ remembered }) => remembered.drainedMs / remembered.talkMs)
const sent = (name: keyof Sent): number => middle(({ remembered }) => remembered.sent[name] / (users * turns))
console.log(`${users} conversations of ${turns} turns at the same time, medians of ${rounds} rounds:`)
console.log(`bare transactions of the same rows  ${middle(({ bare }) => bare).toFixed(0)} a second`)
console.log(`turns without memory                ${share("plain")}`)
console.log(`turns with memory                   ${share("remembered")}`)
console.log(`all work behind them done after     ${drained.toFixed(2)} × the time of the talk`)
console.log(
  `a turn with memory and its work     ${sent("transactions").toFixed(2)} transactions, ${sent("statements").toFixed(1)} statements`,
)
console.log(`statements of pg-boss beside them   ${sent("ofEngine").toFixed(1)} a turn`)
const gates: readonly [string, number, number][] = [
  ["transactions of a remembered turn", sent("transactions"), most.transactions],
  ["statements of a remembered turn", sent("statements"), most.statements],
  ["time until all work is done, to that of the talk", drained, most.drained],
]
for (const [name, value, bound] of gates)
  console.log(`- ${value <= bound ? "ok" : "FAILED"}: ${name} (${value.toFixed(2)}, at most ${bound})`)
if (values.check && gates.some(([, value, bound]) => !(value <= bound))) process.exitCode = 1

/** What the server received: of the store, and beside it of pg-boss about its own tables. */
interface Sent {
  transactions: number
  statements: number
  ofEngine: number
}

/** Turns with a model that answers at once. After the last one the batches that are not full are ended, too. */
async function turnRate(round: number, isRemembering: boolean) {
  const store = await openPostgresStore({ url: server.url, onWarning: () => undefined })
  const profile = resolveProfile({
    dialect: "layered",
    locale: "en",
    persona: "You are Mira.",
    agent: { id: `remembering ${isRemembering} ${round}` },
    memory: { enabled: isRemembering, reflectEvery: 0 },
  })
  const agent = createAgent({ profile, model: judging, store })
  const talk = async (user: number): Promise<void> => {
    const session = agent.session(`talk ${user}`)
    for (let turn = 0; turn < turns; turn++) {
      const result = await session.send(wordsOf(user, turn), { from: { id: `user ${user}`, name: "Ann" } }).result
      if (!result.ok) throw result.error
    }
  }
  await talk(users)
  await agent.idle()
  const sent: Sent = { transactions: 0, statements: 0, ofEngine: 0 }
  const unwatch = watchPostgres((sql) => {
    if (isOfEngine(sql)) sent.ofEngine++
    else if (/^begin/i.test(sql)) sent.transactions++
    else if (!/^(commit|rollback)/i.test(sql)) sent.statements++
  })
  const begunMs = performance.now()
  await Promise.all(Array.from({ length: users }, (_, user) => talk(user)))
  const talkMs = performance.now() - begunMs
  await agent.idle()
  const drainedMs = performance.now() - begunMs
  unwatch()
  await agent.close()
  await store.close()
  return { rate: (1_000 * users * turns) / talkMs, talkMs, drainedMs, sent }
}

/** The rows of a remembered turn in the store's own tables: a session, two messages, two memories and a receipt. */
async function bareRate(round: number): Promise<number> {
  await (await openPostgresStore({ url: server.url })).close()
  const pool = new pg.Pool({ connectionString: server.url, max: 10 })
  const own = (user: number) => [`bare ${round}`, `talk ${user}`, "private"]
  const body = (text: string): string => JSON.stringify({ role: "user", text, speaker: { id: "user", name: "Ann" }, atMs: 0 })
  for (let user = 0; user < users; user++)
    await pool.query(
      `insert into sessions (agent, conversation, audience, version, whole_state, next_position, spoken, notes)
       values ($1, $2, $3, 0, '{}', 0, 0, 0)`,
      own(user),
    )
  const talk = async (user: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      const [id, said] = [`${user} ${turn}`, [wordsOf(user, turn), answer]]
      const client = await pool.connect()
      await client.query("begin")
      await client.query(
        "update sessions set version = version + 1, whole_state = $4 where agent = $1 and conversation = $2 and audience = $3",
        [...own(user), JSON.stringify({ turns: turn, stack: [] })],
      )
      await client.query(
        `insert into messages (agent, conversation, audience, position, turn_id, role, speaker_id, speaker_name, at_ms, spoken, body)
         values ($1, $2, $3, $4, $6, 'user', 'ann', 'Ann', 0, $4, $7), ($1, $2, $3, $5, $6, 'assistant', 'bare', 'Mira', 0, $5, $8)`,
        [...own(user), 2 * turn, 2 * turn + 1, id, ...said.map(body)],
      )
      await client.query(
        `insert into memories (agent, conversation, audience, user_id, id, kind, turn_id, hash, at_ms, user_sequence, body)
         values ($1, $2, $3, $2, $6 || ':0', 'dialogue', $6, $7, 0, $4, $7), ($1, $2, $3, $2, $6 || ':1', 'dialogue', $6, $8, 0, $5, $8)`,
        [...own(user), 2 * turn, 2 * turn + 1, id, ...said.map(body)],
      )
      await client.query(
        `insert into receipts (agent, conversation, audience, user_id, turn_id, kind, position, outcome, attempt, started_ms, body)
         values ($1, $2, $3, $2, $4, 'batch', 0, 'ok', 1, 0, $5)`,
        [...own(user), id, body("waits to be judged with later turns")],
      )
      await client.query("commit")
      client.release()
    }
  }
  const begunMs = performance.now()
  await Promise.all(Array.from({ length: users }, (_, user) => talk(user)))
  const spentMs = performance.now() - begunMs
  await pool.end()
  return (1_000 * users * turns) / spentMs
}
