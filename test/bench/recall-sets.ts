import { DatabaseSync } from "node:sqlite"
import { messageOf } from "../../src/core/errors.ts"
import { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"
import type { RecallWeights } from "../../src/memory/services/recall/recall-weights.ts"
import { documentTerms } from "../../src/memory/services/recall/text/document-terms.ts"
import type { RecallChat } from "../support/recall-sets/recall-chat.ts"
import { type Half, recallSets } from "../support/recall-sets/recall-sets.ts"
import type { BenchResult, Row } from "./bench.ts"
import { bigrams, fts5Searcher, limit, miniSearchers, recallSearcher, type Searcher } from "./recall-baselines.ts"

const setCutoffs = [5, 10] as const

/** How much of the evidence stands among the first results, in per cent, for each cutoff. */
function setShares(searcher: Searcher, chats: readonly RecallChat[]): number[] {
  const found = chats.flatMap((chat) => {
    const search = searcher.make(chat.lines, chat.nowMs, chat)
    return chat.questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ text, evidence }) => ({ ids: search(text), evidence }))
  })
  return setCutoffs.map((cutoff) => {
    const shares = found.map(({ ids, evidence }) => {
      const first = new Set(ids.slice(0, cutoff))
      return evidence.filter((group) => group.some((id) => first.has(id))).length / evidence.length
    })
    return (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length
  })
}

/** SQLite's FTS5 over words, characters and pairs of characters, ranked by its BM25. */
const pairedFts5: Searcher = {
  name: "SQLite FTS5 (characters and pairs)",
  make: (documents) => {
    const database = new DatabaseSync(":memory:")
    database.exec("create virtual table memory using fts5(id unindexed, text, tokenize = 'porter unicode61')")
    const insert = database.prepare("insert into memory values (?, ?)")
    const terms = (text: string) =>
      text
        .match(/\p{sc=Han}+|[[\p{L}\p{N}]--\p{sc=Han}]+/gv)
        ?.flatMap((run) => (/\p{sc=Han}/u.test(run) ? [...run, ...bigrams(run)] : [run])) ?? []
    for (const { id, speaker, text } of documents) insert.run(id, terms(`${speaker.name}: ${text}`).join(" "))
    const select = database.prepare(`select id from memory where memory match ? order by rank limit ${limit}`)
    return (question) => {
      const asked = terms(question).map((term) => `"${term}"`)
      return asked.length === 0 ? [] : select.all(asked.join(" OR ")).map(({ id }) => String(id))
    }
  },
}

const passageCharacters = 400

/** BM25 over passages of a text. A text has the score of its best passage. */
const passageBm25: Searcher = {
  name: "BM25 over passages",
  make: (documents) => {
    const passages = documents.flatMap(({ id, text, speaker }) =>
      Array.from({ length: Math.ceil(text.length / passageCharacters) }, (_, at) => ({
        id,
        ...termsOf(`${speaker.name}: ${text.slice(at * passageCharacters, (at + 1) * passageCharacters)}`),
      })),
    )
    const mean = passages.reduce((sum, { length }) => sum + length, 0) / Math.max(1, passages.length)
    const found = new Map<string, number>()
    for (const { counts } of passages) for (const term of counts.keys()) found.set(term, (found.get(term) ?? 0) + 1)
    return (question) => {
      const best = new Map<string, number>()
      for (const { id, counts, length } of passages) {
        let score = 0
        for (const term of termsOf(question).counts.keys()) {
          const [count = 0, texts = 0] = [counts.get(term), found.get(term)]
          const rare = Math.log(1 + (passages.length - texts + 0.5) / (texts + 0.5))
          score += (rare * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean))
        }
        if (score > (best.get(id) ?? 0)) best.set(id, score)
      }
      return [...best]
        .sort(([, a], [, b]) => b - a)
        .slice(0, limit)
        .map(([id]) => id)
    }
  },
}

function termsOf(text: string) {
  const { words, characters } = documentTerms(text)
  const counts = new Map([...words, ...characters])
  return { counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

interface WinkIndex {
  defineConfig(config: object): void
  definePrepTasks(tasks: readonly ((text: unknown) => unknown)[]): void
  addDoc(document: object, id: string): void
  consolidate(): void
  search(text: string, limit: number): readonly (readonly [string, number])[]
}

async function winkSearcher(): Promise<Searcher> {
  const { default: wink } = (await import("wink-bm25-text-search")) as unknown as { readonly default: () => WinkIndex }
  return {
    name: "wink-bm25-text-search",
    make: (documents) => {
      const index = wink()
      index.defineConfig({ fldWeights: { text: 1 } })
      index.definePrepTasks([(text) => [...termsOf(String(text)).counts.keys()]])
      for (const { id, speaker, text } of documents) index.addDoc({ text: `${speaker.name}: ${text}` }, id)
      index.consolidate()
      return (question) => index.search(question, limit).map(([id]) => id)
    },
  }
}

/** This library, told who asks, as an agent tells it. */
const askedSearcher = (name: string, weights: Partial<RecallWeights> = {}): Searcher => ({
  name,
  make: (documents: readonly RecallDocument[], nowMs, asked) => {
    const index = new RecallIndex()
    for (const document of documents) index.replace(document)
    return (text) => index.rank({ text, nowMs, limit, weights, ...asked }).map(({ id }) => id)
  },
})

/** The libraries that are installed beside those that need nothing. */
async function strongBaselines(): Promise<{ readonly searchers: readonly Searcher[]; readonly notes: readonly string[] }> {
  const builtIn = [fts5Searcher("porter unicode61"), fts5Searcher("trigram"), pairedFts5, passageBm25]
  const notes: string[] = []
  const optional = async (name: string, load: () => Promise<readonly Searcher[]>) =>
    load().catch((thrown: unknown) => {
      notes.push(`Without ${name}: ${messageOf(thrown)}`)
      return []
    })
  const mini = await optional("minisearch", miniSearchers)
  const wink = await optional("wink", async () => [await winkSearcher()])
  return { searchers: [...mini, ...wink, ...builtIn], notes }
}

/** Recall on chats with assistants, facts that stand alone, and MemoryBank, beside strong baselines. */
export async function recallSetsResult(half: Half): Promise<BenchResult> {
  const sets = recallSets(half)
  const { searchers, notes } = await strongBaselines()
  const measured = [...searchers, recallSearcher("promptstrata"), askedSearcher("promptstrata, told who asks")].map(
    (searcher) => ({
      name: searcher.name,
      values: new Map([...sets].map(([set, chats]) => [set, setShares(searcher, chats)])),
    }),
  )
  const rows = measured.map(
    ({ name, values }): Row => ({
      "evidence @5 / @10, %": name,
      ...Object.fromEntries([...values].map(([set, shares]) => [set, shares.map((share) => share.toFixed(1)).join(" / ")])),
    }),
  )
  const counts = [...sets].map(
    ([set, chats]) =>
      `${set}: ${chats.length} chats, ${chats.reduce((sum, { questions }) => sum + questions.length, 0)} questions`,
  )
  return { title: `Recall where a bot talks (${half})`, rows, gates: [], notes: [...notes, ...counts] }
}
