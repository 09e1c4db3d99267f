import { mulberry32 } from "../../src/core/mulberry.ts"
import { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import type { RecallVector } from "../../src/memory/services/recall/recall-query.ts"
import { dataPresent } from "../support/corpora.ts"
import { type AskedLines, changedRanking, gradedEmbeddings } from "../support/graded-embeddings.ts"
import { longConversation } from "../support/long-conversations.ts"
import { madialIndexes, madialMemories, madialQuestions } from "../support/madial.ts"
import { chatLanguages, peopleChats } from "../support/people-chats.ts"
import { type Half, recallSets } from "../support/recall-sets/recall-sets.ts"
import type { BenchResult, Gate, Row } from "./bench.ts"

const cutoffs = [5, 10] as const

/** The ids that answer a question, and those that were found by words, by an embedding, and by both. */
interface Ranked {
  readonly evidence: readonly (readonly string[])[]
  readonly words: readonly string[]
  readonly dense: readonly string[]
  readonly fused: readonly string[]
  /** With a weight that says that the embedding is good. */
  readonly trusted: readonly string[]
}

/** How much of the evidence each way finds, in per cent. */
interface Share {
  readonly words: number
  readonly dense: number
  readonly fused: number
  readonly trusted: number
}

/** How much of the evidence stands among the first results of each way, for each cutoff. */
function shares(ranked: readonly Ranked[]): Share[] {
  const share = (cutoff: number, way: keyof Share) => {
    const found = ranked.map(({ evidence, [way]: ids }) => {
      const first = new Set(ids.slice(0, cutoff))
      return evidence.filter((group) => group.some((id) => first.has(id))).length / evidence.length
    })
    return (100 * found.reduce((sum, each) => sum + each, 0)) / found.length
  }
  return cutoffs.map((at) => {
    return { words: share(at, "words"), dense: share(at, "dense"), fused: share(at, "fused"), trusted: share(at, "trusted") }
  })
}

const limit = 20
const trust = { weights: { vector: 1.5 } }

/** Made-up embeddings, from one that knows little to one that knows more than words do. */
const grades = { weak: 0.15, fair: 0.25, good: 0.32, strong: 0.4 } as const

function rankGraded(chats: readonly (AskedLines & { readonly nowMs: number })[], grade: number): Ranked[] {
  return chats.flatMap((chat) => {
    const asked = chat.questions.filter(({ evidence }) => evidence.length > 0)
    const embed = gradedEmbeddings({ lines: chat.lines, questions: asked }, grade)
    const vectorOf = (text: string): RecallVector => ({ model: "graded", values: embed(text) })
    const index = new RecallIndex()
    const vectors = chat.lines.map((line) => ({ id: line.id, vector: vectorOf(line.text) }))
    for (const [at, line] of chat.lines.entries()) index.replace({ ...line, vector: vectors[at]?.vector })
    return asked.map(({ text, evidence }) => {
      const vector = vectorOf(text)
      const rank = (more: object) => index.rank({ text, nowMs: chat.nowMs, limit, ...more }).map(({ id }) => id)
      return {
        evidence,
        words: rank({}),
        dense: nearest(vectors, vector),
        fused: rank({ vector }),
        trusted: rank({ vector, ...trust }),
      }
    })
  })
}

function nearest(vectors: readonly { readonly id: string; readonly vector: RecallVector }[], { values }: RecallVector): string[] {
  const cosine = (other: Float32Array) => {
    let [dot, squares] = [0, 0]
    for (const [at, value] of other.entries()) [dot, squares] = [dot + value * (values[at] ?? 0), squares + value * value]
    return dot / Math.sqrt(squares || 1)
  }
  return vectors
    .map(({ id, vector }) => ({ id, near: cosine(vector.values) }))
    .sort((a, b) => b.near - a.near)
    .slice(0, limit)
    .map(({ id }) => id)
}

/** The one ranking that an embedding of many languages made, and ones made worse and better from it. */
const changes = {
  "the real one": { swapped: 0, lifted: 0 },
  "20 % swapped": { swapped: 20, lifted: 0 },
  "40 % swapped": { swapped: 40, lifted: 0 },
  "60 % swapped": { swapped: 60, lifted: 0 },
  "80 % swapped": { swapped: 80, lifted: 0 },
  "10 % lifted": { swapped: 0, lifted: 10 },
  "20 % lifted": { swapped: 0, lifted: 20 },
  "40 % lifted": { swapped: 0, lifted: 40 },
  "40 % swapped, 20 % lifted": { swapped: 40, lifted: 20 },
  "60 % swapped, 40 % lifted": { swapped: 60, lifted: 40 },
} as const

function rankMadial(half: Half, change: { readonly swapped: number; readonly lifted: number }): Ranked[] {
  const indexes = madialIndexes()
  const others = Map.groupBy(madialMemories(), ({ userId }) => userId)
  const questions = madialQuestions().filter((_, at) => (at % 2 === 0) === (half === "development"))
  return questions.map(({ userId, text, relevant, dense }) => {
    const all = (others.get(userId) ?? []).map(({ id }) => id)
    const vectorRanking = changedRanking(dense, { relevant, others: all, ...change })
    const rank = (more: object) =>
      (indexes.get(userId)?.rank({ text, nowMs: Date.UTC(2024, 6, 1), limit, ...more }) ?? []).map(({ id }) => id)
    return {
      evidence: relevant.map((id) => [id]),
      words: rank({}),
      dense: vectorRanking,
      fused: rank({ vectorRanking }),
      trusted: rank({ vectorRanking, ...trust }),
    }
  })
}

function longChats(half: Half) {
  return Array.from({ length: 4 }, (_, i) => {
    const { lines, questions, nowMs } = longConversation(mulberry32((half === "development" ? 1 : 1_000) + i), half)
    return { lines, nowMs, questions: questions.map(({ text, evidence }) => ({ text, evidence: evidence.map((id) => [id]) })) }
  })
}

/** Each set with each embedding. */
function gradedRankings(half: Half): { readonly set: string; readonly ranked: () => Ranked[] }[] {
  const chats = new Map<string, readonly (AskedLines & { readonly nowMs: number })[]>([
    ...recallSets(half),
    ...chatLanguages.map((language) => [`people ${language}`, peopleChats(language, half)] as const),
    ["long en", longChats(half)],
  ])
  const madial = dataPresent ? Object.entries(changes) : []
  return [
    ...madial.map(([name, change]) => ({ set: `MADial zh, ${name}`, ranked: () => rankMadial(half, change) })),
    ...[...chats].flatMap(([set, all]) =>
      Object.entries(grades).map(([name, grade]) => ({ set: `${set}, ${name}`, ranked: () => rankGraded(all, grade) })),
    ),
  ]
}

/** An embedding that finds at most so much more of the evidence than the words, or so much less, is about as good, in per cent. */
const aboutAsGood = 5

/** Recall with embeddings of many grades, beside the better of its two rankings. */
export function gradedFusion(half: Half): BenchResult {
  const measured = gradedRankings(half).map(({ set, ranked }) => ({ set, values: shares(ranked()) }))
  const behind = ({ words, dense, fused }: Share) => fused - Math.max(words, dense)
  const behindTrusted = ({ words, dense, trusted }: Share) => trusted - Math.max(words, dense)
  const rows = measured.map(({ set, values }): Row => {
    const both = (of: (share: Share) => number) => values.map((value) => of(value).toFixed(1)).join(" / ")
    return {
      "evidence @5 / @10, %": set,
      words: both(({ words }) => words),
      embedding: both(({ dense }) => dense),
      fused: both(({ fused }) => fused),
      "to the better": both(behind),
      trusted: both(({ trusted }) => trusted),
      "trusted, to the better": both(behindTrusted),
    }
  })
  const shown = cutoffs.map((cutoff, at) => {
    const all = measured.flatMap(({ values }) => values.slice(at, at + 1))
    const near = all.filter(({ words, dense }) => dense <= words + aboutAsGood).map(behind)
    const good = all.filter(({ words, dense }) => dense >= words - aboutAsGood).map(behindTrusted)
    return { cutoff, all: all.map(behind), near, good }
  })
  const gates = shown.flatMap(({ cutoff, near, good }) => [
    ...gatesOf(`@${cutoff}, embeddings at most ${aboutAsGood} better than words`, near),
    ...gatesOf(`@${cutoff}, trusted ones at most ${aboutAsGood} worse than words`, good),
  ])
  const notes = shown.map(({ cutoff, all, good }) => {
    const under = (values: readonly number[]) =>
      `a mean of ${mean(values).toFixed(1)} to the better, and ${values.filter((value) => value < -3).length} of ${values.length} more than 3 under it`
    return `@${cutoff}, all that are not trusted: ${under(all)}. Good ones that are: ${under(good)}.`
  })
  return { title: `Fused with rankings of graded quality (${half})`, rows, notes, gates: half === "development" ? gates : [] }
}

const gatesOf = (which: string, behind: readonly number[]): Gate[] => [
  gate(`${which}: the mean to the better`, mean(behind), -1),
  gate(`${which}: the worst to the better`, Math.min(...behind), -3),
]

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

const gate = (name: string, value: number, least: number): Gate => ({
  name,
  ok: value >= least,
  detail: `${value.toFixed(1)}, at least ${least}`,
})
