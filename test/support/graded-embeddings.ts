import { hashText } from "../../src/core/fingerprint.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"
import { documentTerms } from "../../src/memory/services/recall/text/document-terms.ts"

/** Lines, and questions about them with the ids that answer each. */
export interface AskedLines {
  readonly lines: readonly RecallDocument[]
  readonly questions: readonly { readonly text: string; readonly evidence: readonly (readonly string[])[] }[]
}

const wordPlaces = 512
const meaningPlaces = 128
/** A vector has so much noise, where its words have 1. */
const noiseShare = 0.5

/** Evidence has the whole meaning of its question. The lines beside it and some others, which mislead, have a part of it. */
const [besideShare, misleadingShare, misleadingLines] = [0.4, 0.7, 4] as const

/**
 * Made-up embeddings that know so much of what a question means, from 0 up, for each text of some lines and questions. The rest of each
 * vector is the words of its text, poorly hashed, and noise, both with fixed seeds. So lines that answer are near, and so are lines that
 * share words, as with an embedding that a model made.
 */
export function gradedEmbeddings({ lines, questions }: AskedLines, grade: number): (text: string) => Float32Array {
  const meanings = new Map<string, Float32Array>()
  const give = (text: string, direction: Float32Array, share: number) => {
    const all = meanings.get(text) ?? new Float32Array(meaningPlaces)
    meanings.set(
      text,
      all.map((value, at) => value + grade * share * (direction[at] ?? 0)),
    )
  }
  const places = new Map(lines.map(({ id }, at) => [id, at]))
  for (const { text, evidence } of questions) {
    const random = mulberry32(`meaning ${text}`)
    // The meaning of some questions is missed, as models do.
    const luck = 0.2 + 1.6 * random()
    const direction = unit(Float32Array.from({ length: meaningPlaces }, () => random() - 0.5))
    give(text, direction, 1)
    const answers = evidence.flat().map((id) => places.get(id) ?? 0)
    const beside = answers.flatMap((at) => [at - 1, at + 1])
    const misleading = Array.from({ length: misleadingLines }, () => Math.floor(random() * lines.length))
    const shares = new Map([
      ...beside.map((at) => [at, besideShare] as const),
      ...misleading.map((at) => [at, misleadingShare] as const),
      ...answers.map((at) => [at, 1] as const),
    ])
    for (const [at, share] of shares) if (lines[at] !== undefined) give(lines[at].text, direction, share * luck)
  }
  const found = new Map<string, number>()
  for (const { text } of lines) for (const term of termsOf(text)) found.set(term, (found.get(term) ?? 0) + 1)
  const rarity = (term: string) => Math.log(1 + lines.length / (1 + (found.get(term) ?? 0)))
  return (text) => Float32Array.from([...hashedWords(text, rarity), ...plus(noiseOf(text), meanings.get(text))])
}

function termsOf(text: string): string[] {
  const { words, characters } = documentTerms(text)
  return [...words.keys(), ...characters.keys()]
}

function hashedWords(text: string, rarity: (term: string) => number): Float32Array {
  const values = new Float32Array(wordPlaces)
  for (const term of termsOf(text)) {
    const low = hashText(term).low >>> 0
    values[low % wordPlaces] = (values[low % wordPlaces] ?? 0) + ((low >>> 16) & 1 ? 1 : -1) * rarity(term)
  }
  return unit(values)
}

function noiseOf(text: string): Float32Array {
  const random = mulberry32(`noise ${text}`)
  return unit(Float32Array.from({ length: meaningPlaces }, () => random() - 0.5)).map((value) => noiseShare * value)
}

const plus = (one: Float32Array, other?: Float32Array) => one.map((value, at) => value + (other?.[at] ?? 0))

function unit(values: Float32Array): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  return norm === 0 ? values : values.map((value) => value / norm)
}

/** A ranking of ids made worse (`swapped`: so many of a hundred ids are replaced by others) or better (`lifted`: so many of a hundred that are relevant come first). */
export function changedRanking(
  ranking: readonly string[],
  {
    relevant,
    others,
    swapped,
    lifted,
  }: {
    readonly relevant: readonly string[]
    readonly others: readonly string[]
    readonly swapped: number
    readonly lifted: number
  },
): readonly string[] {
  const random = mulberry32(`changed ${ranking.join()} ${swapped} ${lifted}`)
  const changed = ranking.map((id) => (random() * 100 < swapped ? (others[Math.floor(random() * others.length)] ?? id) : id))
  const first = relevant.filter(() => random() * 100 < lifted)
  return [...new Set([...first, ...changed])].slice(0, ranking.length)
}
