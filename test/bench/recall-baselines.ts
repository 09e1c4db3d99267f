import { DatabaseSync } from "node:sqlite"
import { RecallIndex } from "../../src/services/recall/recall-index.ts"
import type { RecallDocument } from "../../src/services/recall/recall-query.ts"
import type { RecallWeights } from "../../src/services/recall/recall-weights.ts"

/** Finds ids for a question, the best first. */
export type Search = (question: string) => readonly string[]

/** A way to search, made for some documents. */
export interface Searcher {
  readonly name: string
  make(documents: readonly RecallDocument[], nowMs: number): Search
}

const limit = 50
const withName = ({ speaker, text }: RecallDocument) => `${speaker.name}: ${text}`

/** This library, with its own weights but for those given, and with an embedding if there is one. */
export const recallSearcher = (
  name: string,
  weights: Partial<RecallWeights> = {},
  embed?: (text: string) => Float32Array,
): Searcher => ({
  name,
  make: (documents, nowMs) => {
    const index = new RecallIndex()
    const vector = (text: string) => embed && { model: name, values: embed(text) }
    for (const document of documents) index.add({ ...document, vector: vector(document.text) })
    return (text) => index.rank({ text, nowMs, limit, weights, vector: vector(text) }).map(({ id }) => id)
  },
})

/** SQLite's FTS5, any word of the question, ranked by its BM25. */
export const fts5Searcher = (tokenizer: string): Searcher => ({
  name: `SQLite FTS5 (${tokenizer})`,
  make: (documents) => {
    const database = new DatabaseSync(":memory:")
    database.exec(`create virtual table memory using fts5(id unindexed, text, tokenize = '${tokenizer}')`)
    const insert = database.prepare("insert into memory values (?, ?)")
    for (const document of documents) insert.run(document.id, withName(document))
    const select = database.prepare(`select id from memory where memory match ? order by rank limit ${limit}`)
    return (question) => {
      const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
      return words.length === 0 ? [] : select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ id }) => String(id))
    }
  },
})

interface MiniSearchIndex {
  addAll(documents: readonly object[]): void
  search(text: string): readonly { readonly id: string }[]
}

/** minisearch with its own tokenizer, and with the words that `Intl.Segmenter` finds; none where it is not installed. */
export async function miniSearchers(): Promise<Searcher[]> {
  const { default: MiniSearch } = (await import("minisearch")) as unknown as {
    readonly default: new (options: object) => MiniSearchIndex
  }
  const searcher = (name: string, options: object): Searcher => ({
    name,
    make: (documents) => {
      const index = new MiniSearch({ fields: ["text"], ...options })
      index.addAll(documents.map((document) => ({ id: document.id, text: withName(document) })))
      return (question) =>
        index
          .search(question)
          .slice(0, limit)
          .map(({ id }) => id)
    },
  })
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" })
  const tokenize = (text: string) =>
    Array.from(segmenter.segment(text)).flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
  return [searcher("minisearch", {}), searcher("minisearch (Intl.Segmenter words)", { tokenize })]
}
