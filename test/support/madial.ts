import { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import { readJsonLines } from "./corpora.ts"

/** A dialogue up to the turn that should recall something. */
export interface MadialQuestion {
  readonly userId: number
  readonly text: string
  readonly relevant: readonly string[]
  /** Twenty ids as an embedding ranks them. */
  readonly dense: readonly string[]
}

interface RankedLine {
  readonly "user-id": number
  readonly "relevant-id"?: readonly number[]
  readonly relevant_id?: readonly number[]
  readonly dialog_history: string
  readonly top_20_ids: readonly number[]
}

/** A memory of one of the two users. */
export interface MadialMemory {
  readonly id: string
  readonly userId: number
  readonly event: string
  readonly time: string
}

export function madialMemories(): MadialMemory[] {
  type Line = Readonly<
    Record<string, { readonly id: string; readonly time: string; readonly event: string; readonly "user-id": number }>
  >
  return readJsonLines<Line>("recall/madial-zh-memory.json").flatMap((line) =>
    Object.values(line).map(({ id, time, event, "user-id": userId }) => ({ id, time, event, userId })),
  )
}

/** An index per user; each memory is a conversation of its own. */
export function madialIndexes(): ReadonlyMap<number, RecallIndex> {
  const indexes = new Map<number, RecallIndex>()
  for (const { id, time, event, userId } of madialMemories()) {
    const index = indexes.get(userId) ?? new RecallIndex()
    indexes.set(userId, index)
    const speaker = { id: `user-${userId}`, name: userId === 1 ? "Bart" : "Lisa" }
    index.replace({ id, text: event, atMs: Date.parse(time), speaker, session: id, turn: 0, importance: 5 })
  }
  return indexes
}

export function madialQuestions(): MadialQuestion[] {
  return readJsonLines<RankedLine>("recall/madial-zh-bge-m3-top20.json").map((line) => ({
    userId: line["user-id"],
    text: line.dialog_history.replace("<BOD>\n", ""),
    relevant: (line.relevant_id ?? line["relevant-id"] ?? []).map(String),
    dense: line.top_20_ids.map(String),
  }))
}

/** How much of what is relevant stands among the first of an answer, in per cent, for each cutoff. */
export function recallShares<Question extends { readonly relevant: readonly string[] }>(
  questions: readonly Question[],
  answer: (question: Question) => readonly string[],
  cutoffs: readonly number[],
): number[] {
  const sums = cutoffs.map(() => 0)
  for (const question of questions) {
    const ids = answer(question)
    for (const [i, cutoff] of cutoffs.entries()) {
      const found = new Set(ids.slice(0, cutoff))
      sums[i] = (sums[i] ?? 0) + question.relevant.filter((id) => found.has(id)).length / question.relevant.length
    }
  }
  return sums.map((sum) => (100 * sum) / questions.length)
}
