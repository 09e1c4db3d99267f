import { denseScores } from "./dense-score.ts"
import { questionMark } from "./document-columns.ts"
import type { DocumentTable } from "./document-table.ts"
import { scoreField } from "./field-score.ts"
import { formScores } from "./form-score.ts"
import { answerScores, speakerScores, timeScores } from "./mark-score.ts"
import { phraseScores } from "./phrase-score.ts"
import { recencyScores } from "./prior-score.ts"
import type { QueryPlan } from "./query-plan.ts"
import type { RecallQuery } from "./recall-query.ts"
import { evidenceSignals, type RecallSignal, type RecallWeights } from "./recall-weights.ts"
import type { LocalCalendar } from "./time/local-calendar.ts"

const questionPart = 0.75

/** The signals of a question by slot; a signal that says nothing is not there. */
export type SignalScores = ReadonlyMap<RecallSignal, Float64Array>

/** What a question needs to be answered. */
export interface Asked {
  readonly query: RecallQuery
  readonly plan: QueryPlan
  readonly calendar: LocalCalendar
  readonly weights: RecallWeights
}

/** Each signal that has a weight and something to say. */
export function signalScores(table: DocumentTable, { query, plan, calendar, weights }: Asked): SignalScores {
  const scores = new Map<RecallSignal, Float64Array>()
  for (const [signal, values] of fieldScores(table, plan)) if (weights[signal] > 0) scores.set(signal, values)
  const when = (signal: RecallSignal, says: boolean, score: () => Float64Array) => {
    if (says && weights[signal] > 0) scores.set(signal, score())
  }
  when("grams", plan.forms.length > 0, () => formScores(table, plan.forms))
  when("phrase", plan.phrases.length > 0, () => phraseScores(table, plan.phrases))
  when("speaker", plan.speakerIds.size > 0, () => speakerScores(table, plan))
  when("time", plan.times.length > 0, () => timeScores(table, plan, calendar.dayOf))
  when("answer", plan.asked.time || plan.asked.number, () => answerScores(table, plan))
  const dense = weights.vector > 0 ? denseScores(table, query) : undefined
  if (dense !== undefined) scores.set("vector", dense)
  when("recency", true, () => recencyScores(table, query.nowMs))
  when("importance", true, () => table.columns.importance)
  return scores
}

function fieldScores(table: DocumentTable, plan: QueryPlan): [RecallSignal, Float64Array][] {
  const { scoreArrays } = table
  const [words, characters, neighbours, session] = [
    scoreArrays.take(),
    scoreArrays.take(),
    scoreArrays.take(),
    scoreArrays.take(),
  ]
  scoreField(table, "words", plan.words, { own: words, neighbours, session })
  scoreField(table, "characters", plan.characters, { own: characters, neighbours, session })
  return [
    ["words", lessForQuestions(table, words)],
    ["characters", lessForQuestions(table, characters)],
    ["neighbours", neighbours],
    ["session", session],
  ]
}

/** What a line only asks is not known from it: its words count less for itself, and in full for the lines beside. */
function lessForQuestions({ columns: { marks } }: DocumentTable, scores: Float64Array): Float64Array {
  for (let slot = 0; slot < scores.length; slot++) {
    if (((marks[slot] ?? 0) & questionMark) !== 0) scores[slot] = (scores[slot] ?? 0) * questionPart
  }
  return scores
}

/** The evidence of each slot together, the best of all counting as 1. */
export function evidenceOf(
  table: DocumentTable,
  scores: SignalScores,
  weights: RecallWeights,
): { readonly values: Float64Array; readonly scale: number } {
  const size = table.slots
  const values = table.scoreArrays.take()
  for (const signal of evidenceSignals) {
    const own = scores.get(signal)
    const weight = weights[signal]
    if (own !== undefined) for (let slot = 0; slot < size; slot++) values[slot] = (values[slot] ?? 0) + weight * (own[slot] ?? 0)
  }
  let best = 0
  for (const value of values) if (value > best) best = value
  const scale = best > 0 ? 1 / best : 0
  for (let slot = 0; slot < size; slot++) values[slot] = (values[slot] ?? 0) * scale
  return { values, scale }
}
