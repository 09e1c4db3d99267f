// `npm run bench:recall`: how much of what is relevant recall finds, beside libraries, and how fast.
import { messageOf } from "../../src/core/errors.ts"
import { RecallIndex } from "../../src/services/recall/recall-index.ts"
import type { RecallDocument } from "../../src/services/recall/recall-query.ts"
import { recallSignals } from "../../src/services/recall/recall-weights.ts"
import { dataPresent } from "../support/corpora.ts"
import { longConversation } from "../support/long-conversations.ts"
import { madialMemories, madialQuestions, recallShares } from "../support/madial.ts"
import { mulberry } from "../support/mulberry.ts"
import type { BenchResult, Gate, Row } from "./bench.ts"
import { fts5Searcher, miniSearchers, recallSearcher, type Search, type Searcher } from "./recall-baselines.ts"
import { measureSpeed } from "./recall-speed.ts"
import { formatResult } from "./report.ts"

const cutoffs = [1, 5, 10, 25, 50]
const own = recallSearcher("promptstrata")
const ablated = recallSignals.filter((signal) => signal !== "phrase" && signal !== "vector")

interface Asked {
  readonly search: Search
  readonly text: string
  readonly relevant: readonly string[]
}

const shares = (asked: readonly Asked[]) => recallShares(asked, ({ search, text }) => search(text), cutoffs)
const rowOf = (name: string, values: readonly number[]): Row =>
  Object.fromEntries([["", name], ...cutoffs.map((cutoff, i) => [`@${cutoff}`, (values[i] ?? 0).toFixed(1)])])

async function baselines(): Promise<{ readonly searchers: Searcher[]; readonly notes: string[] }> {
  const builtIn = [fts5Searcher("unicode61"), fts5Searcher("porter unicode61"), fts5Searcher("trigram")]
  try {
    return { searchers: [...(await miniSearchers()), ...builtIn], notes: [] }
  } catch (thrown) {
    return { searchers: builtIn, notes: [`Without minisearch: ${messageOf(thrown)}`] }
  }
}

/** Questions over MADial-Bench, each user's memories by themselves. */
function askMadial({ make }: Searcher): Asked[] {
  const memories = Map.groupBy(madialMemories(), ({ userId }) => userId)
  const searches = new Map(
    [...memories].map(([userId, own]) => {
      const speaker = { id: `user-${userId}`, name: userId === 1 ? "Bart" : "Lisa" }
      const document = ({ id, event, time }: (typeof own)[number]): RecallDocument => ({
        id,
        text: event,
        atMs: Date.parse(time),
        speaker,
        session: id,
        turn: 0,
        importance: 5,
      })
      return [userId, make(own.map(document), Date.UTC(2024, 6, 1))] as const
    }),
  )
  return madialQuestions().map(({ userId, text, relevant }) => ({ search: searches.get(userId) ?? (() => []), text, relevant }))
}

function askConversations({ make }: Searcher, topics: "development" | "held-out"): Asked[] {
  return Array.from({ length: 8 }, (_, i) =>
    longConversation(mulberry((topics === "development" ? 1 : 1_000) + i), topics),
  ).flatMap(({ lines, questions, nowMs }) => {
    const search = make(lines, nowMs)
    return questions.map(({ text, evidence }) => ({ search, text, relevant: evidence }))
  })
}

function compare(
  title: string,
  ask: (searcher: Searcher) => Asked[],
  others: readonly Searcher[],
  gates: (own: readonly number[], best: readonly number[]) => Gate[],
): BenchResult {
  const measured = others.map((searcher) => ({ name: searcher.name, values: shares(ask(searcher)) }))
  const ownValues = shares(ask(own))
  const best = cutoffs.map((_, i) => Math.max(...measured.map(({ values }) => values[i] ?? 0)))
  const off = ablated.map((signal) => rowOf(`without ${signal}`, shares(ask(recallSearcher(signal, { [signal]: 0 })))))
  const rows = [...measured.map(({ name, values }) => rowOf(name, values)), rowOf("promptstrata", ownValues), ...off]
  return { title, rows, gates: gates(ownValues, best) }
}

const gate = (name: string, value: number, least: number): Gate => ({
  name,
  ok: value >= least,
  detail: `${value.toFixed(1)}, at least ${least.toFixed(1)}`,
})

function fusion(): BenchResult {
  const lexical = shares(askMadial(own))
  const dense = recallShares(madialQuestions(), ({ dense }) => dense, cutoffs)
  const indexes = new Map<number, RecallIndex>()
  for (const { id, userId, event, time } of madialMemories()) {
    const index = indexes.get(userId) ?? new RecallIndex()
    indexes.set(userId, index)
    index.add({
      id,
      text: event,
      atMs: Date.parse(time),
      speaker: { id: "user", name: "user" },
      session: id,
      turn: 0,
      importance: 5,
    })
  }
  const fusedBy = (vector: number) =>
    recallShares(
      madialQuestions(),
      ({ userId, text, dense }) =>
        (
          indexes
            .get(userId)
            ?.rank({ text, nowMs: Date.UTC(2024, 6, 1), limit: 50, vectorRanking: dense, weights: { vector } }) ?? []
        ).map(({ id }) => id),
      cutoffs,
    )
  const fused = fusedBy(0.65)
  const rows = [
    rowOf("by words", lexical),
    rowOf("stored dense ranking (20 ids)", dense),
    ...[0.35, 0.5, 0.65, 0.8].map((weight) => rowOf(`fused, dense part ${weight}`, fusedBy(weight))),
  ]
  const gates = cutoffs.map((cutoff, i) =>
    gate(`@${cutoff}: at most 1 under the better`, fused[i] ?? 0, Math.max(lexical[i] ?? 0, dense[i] ?? 0) - 1),
  )
  return { title: "MADial zh, fused with a dense ranking", rows, gates }
}

function speed(): BenchResult {
  const measured = [
    [5_000, 5],
    [20_000, 15],
  ].map(([count = 0, most = 0]) => ({ count, most, ...measureSpeed(count) }))
  const gates = measured.map(({ count, most, p95Ms }) => ({
    name: `p95 at ${count}`,
    ok: p95Ms <= most,
    detail: `${p95Ms.toFixed(2)} ms, at most ${most} ms`,
  }))
  return { title: "Speed and size (each question the best of three)", rows: measured.map(({ row }) => row), gates }
}

const { searchers, notes } = await baselines()
const quarterBetter = (values: readonly number[], best: readonly number[]) =>
  [1, 2].map((i) => gate(`1.25 × the best library @${cutoffs[i]}`, values[i] ?? 0, 1.25 * (best[i] ?? 0)))
for (const note of notes) console.log(`${note}\n`)
if (dataPresent) {
  console.log(
    `${formatResult(compare("MADial zh, recall of relevant memories, %", askMadial, searchers, (values) => [gate("@10 by words", values[2] ?? 0, 63)]))}\n`,
  )
  console.log(`${formatResult(fusion())}\n`)
}
for (const topics of ["development", "held-out"] as const) {
  const title = `Made-up long English conversations (${topics} topics), recall of evidence, %`
  console.log(`${formatResult(compare(title, (searcher) => askConversations(searcher, topics), searchers, quarterBetter))}\n`)
}
console.log(formatResult(speed()))
