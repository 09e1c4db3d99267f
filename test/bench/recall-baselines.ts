import { DatabaseSync } from "node:sqlite"
import { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"
import { type RecallWeights, recallSignals } from "../../src/memory/services/recall/recall-weights.ts"

/** Finds ids for a question, the best first. */
export type Search = (question: string) => readonly string[]

/** A way to search, made for some documents. */
export interface Searcher {
  readonly name: string
  make(
    documents: readonly RecallDocument[],
    nowMs: number,
    asked?: { readonly askedBy: string; readonly askedOf: string },
  ): Search
}

/** The most ids that a search gives. */
export const limit = 50
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
    for (const document of documents) index.replace({ ...document, vector: vector(document.text) })
    return (text) => index.rank({ text, nowMs, limit, weights, vector: vector(text) }).map(({ id }) => id)
  },
})

const pieces = (text: string, length: number) =>
  text.length <= length ? [text] : Array.from({ length: text.length - length + 1 }, (_, i) => text.slice(i, i + length))

/** A word as it is; what is written without spaces in pieces, since a tokenizer of trigrams finds a word only whole. */
const trigrams = (word: string) => (/\p{sc=Han}/u.test(word) ? pieces(word, 3) : [word])

/** This library without each signal that the questions use. */
export const ablatedSearchers = recallSignals
  .filter((signal) => signal !== "phrase" && signal !== "vector")
  .map((signal) => recallSearcher(`without ${signal}`, { [signal]: 0 }))

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
      const words = (question.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) =>
        tokenizer === "trigram" ? trigrams(word) : [word],
      )
      return words.length === 0 ? [] : select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ id }) => String(id))
    }
  },
})

interface MiniSearchIndex {
  addAll(documents: readonly object[]): void
  search(text: string): readonly { readonly id: string }[]
}

/** The words of a text as `Intl.Segmenter` finds them. */
function segmentedWords(text: string): string[] {
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" })
  return Array.from(segmenter.segment(text)).flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

/** The words of a text, and the pairs of characters of what is written without spaces. */
export const bigrams = (text: string) =>
  (text.match(/\p{sc=Han}+|[[\p{L}\p{N}]--\p{sc=Han}]+/gv) ?? []).flatMap((run) =>
    /\p{sc=Han}/u.test(run) ? pieces(run, 2) : [run],
  )

/** minisearch with several ways to cut texts into terms. Throws where the peers are not installed. */
export async function miniSearchers(): Promise<Searcher[]> {
  const [{ default: MiniSearch }, { stemmer }, { eng, removeStopwords }] = await Promise.all([
    import("minisearch") as unknown as Promise<{ readonly default: new (options: object) => MiniSearchIndex }>,
    import("stemmer") as unknown as Promise<{ readonly stemmer: (word: string) => string }>,
    import("stopword") as unknown as Promise<{
      readonly eng: readonly string[]
      readonly removeStopwords: (words: readonly string[], stops: readonly string[]) => string[]
    }>,
  ])
  const processTerm = (term: string) => {
    const [word] = removeStopwords([term.toLowerCase()], eng)
    return word === undefined ? false : stemmer(word)
  }
  const searcher = (name: string, options: object): Searcher => ({
    name,
    make: (documents) => {
      const index = new MiniSearch({ fields: ["text"], ...options })
      const beside = (at: number) => [documents[at - 1]?.text, documents[at + 1]?.text].join("\n")
      index.addAll(documents.map((document, at) => ({ id: document.id, text: withName(document), beside: beside(at) })))
      return (question) =>
        index
          .search(question)
          .slice(0, limit)
          .map(({ id }) => id)
    },
  })
  const besides = { fields: ["text", "beside"], searchOptions: { boost: { text: 2 } } }
  return [
    searcher("minisearch (lines beside)", { ...besides, processTerm }),
    searcher("minisearch (lines beside, bigrams)", { ...besides, tokenize: bigrams }),
    searcher("minisearch", {}),
    searcher("minisearch (stemmer, no stopwords)", { processTerm }),
    searcher("minisearch (Intl.Segmenter words)", { tokenize: segmentedWords }),
    searcher("minisearch (character bigrams)", { tokenize: bigrams }),
  ]
}
