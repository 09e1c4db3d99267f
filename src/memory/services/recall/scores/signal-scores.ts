import { questionMark } from "../documents/document-columns.ts"
import type { DocumentTable } from "../documents/document-table.ts"
import type { QueryPlan } from "../query-plan.ts"
import type { RecallQuery } from "../recall-query.ts"
import type { RecallSignal, RecallWeights, SignalScore } from "../recall-weights.ts"
import type { LocalCalendar } from "../time/local-calendar.ts"
import { answerScores, orderScores, recencyScores, speakerScores, timeScores } from "./column-score.ts"
import { keyScores, ownScores, scoreField } from "./field-score.ts"
import { formScores, phraseScores } from "./wording-score.ts"

/** The part of its score that a line keeps if it is a question. */
const questionPart = 0.75

/** Scores by signal. A signal that does not apply to the query is absent. */
export type SignalScores = Map<RecallSignal, SignalScore>

/** A query with all that is needed to answer it. */
export interface RecallTask {
  readonly query: RecallQuery
  readonly plan: QueryPlan
  readonly calendar: LocalCalendar
  readonly weights: RecallWeights
}

export const ofArray = (scores: Float64Array): SignalScore => ({ at: (slot) => scores[slot] ?? 0, most: 0, array: scores })

/** The scores of each signal that has a weight and applies to the query, but the vector. */
export function signalScores(table: DocumentTable, { query, plan, calendar, weights }: RecallTask): SignalScores {
  const scores = new Map<RecallSignal, SignalScore>()
  for (const [signal, values] of fieldScores(table, plan)) if (weights[signal] > 0) scores.set(signal, values)
  const when = (signal: RecallSignal, applies: boolean, score: () => SignalScore) => {
    if (applies && weights[signal] > 0) scores.set(signal, score())
  }
  when("keys", table.fields.keyWords.totalLength + table.fields.keyCharacters.totalLength > 0, () =>
    ofArray(keyScores(table, plan)),
  )
  when("self", plan.own.size > 0, () => lessForQuestions(table, ownScores(table, plan.own, query.askedBy)))
  when("grams", plan.forms.length > 0, () => ofArray(formScores(table, plan.forms)))
  when("phrase", plan.phrases.length > 0, () => ofArray(phraseScores(table, plan.phrases)))
  when("speaker", plan.speakerIds.size > 0, () => speakerScores(table, plan))
  when("time", plan.times.length > 0, () => timeScores(table, plan, calendar.dayOf))
  when("answer", plan.asked.time || plan.asked.number, () => answerScores(table, plan))
  const ownWords = () => weighedSum(scores, weights, ["words", "grams", "characters", "keys", "phrase"])
  when("order", plan.order !== undefined, () => ofArray(orderScores(table, plan, ownWords())))
  when("recency", true, () => recencyScores(table, query.nowMs))
  when("importance", true, () => ofArray(table.columns.importance))
  return scores
}

function fieldScores(table: DocumentTable, plan: QueryPlan): [RecallSignal, SignalScore][] {
  const { scoreArrays, links } = table
  const { bySlot, count } = links.talks
  const neighbours = scoreArrays.take()
  const session = new Float64Array(count)
  const asked = (["words", "characters"] as const).filter((field) => plan[field].size > 0)
  const own = asked.map((field): [RecallSignal, SignalScore] => {
    const scores = scoreArrays.take()
    scoreField(table, field, plan[field], { own: scores, neighbours, session })
    return [field, lessForQuestions(table, scores)]
  })
  const most = session.reduce((most, score) => Math.max(most, score), 0)
  const told = { at: (slot: number) => session[bySlot[slot] ?? 0] ?? 0, most }
  return [...own, ["neighbours", ofArray(neighbours)], ["session", told]]
}

/** Lowers the scores of questions: they do not tell what they ask about. The lines beside them still get the full score. */
function lessForQuestions({ columns: { marks } }: DocumentTable, scores: Float64Array): SignalScore {
  const at = (slot: number) => (scores[slot] ?? 0) * (((marks[slot] ?? 0) & questionMark) === 0 ? 1 : questionPart)
  return { at, most: 0, array: scores }
}

/** The weighted sum of some signals of a slot. */
export function weighedSum(
  scores: SignalScores,
  weights: RecallWeights,
  signals: readonly RecallSignal[],
): (slot: number) => number {
  const parts = signals.map((signal) => ({ at: scores.get(signal)?.at, weight: weights[signal] }))
  return (slot) => {
    let sum = 0
    for (const { at, weight } of parts) if (at !== undefined) sum += weight * at(slot)
    return sum
  }
}

/** The signals by which a text has something of the question. The others only choose among such texts. */
export const findingSignals = ["words", "grams", "characters", "keys", "phrase", "neighbours", "session", "talk", "time"] as const

/**
 * True for a slot that has something of the question, which for a blank one is each. A question about oneself finds what its speaker says of
 * themselves. If it has no words, a time or a speaker is enough, but not words such as "lately", which everything of the last weeks would
 * match.
 */
export function foundBy(scores: SignalScores, { query, plan }: RecallTask, part: number): (slot: number) => boolean {
  if (query.text.trim() === "") return () => true
  const isVague = plan.times.some((time) => time.kind === "span" && time.isVague)
  const wordless = plan.words.size === 0 && plan.characters.size === 0 && !isVague
  const own = findingSignals.filter((signal) => signal !== "time" || !isVague)
  const asks = plan.isQuestion ? (["self"] as const) : []
  const finding = [...own, ...asks, ...(wordless ? (["speaker"] as const) : []), ...(part > 0 ? (["vector"] as const) : [])]
  const found = finding.flatMap((signal) => scores.get(signal) ?? [])
  return (slot) => found.some(({ at }) => at(slot) > 0)
}
