import { passageMark, questionMark } from "./documents/document-columns.ts"
import type { DocumentTable } from "./documents/document-table.ts"
import type { QueryPlan } from "./query-plan.ts"
import type { RecallHit, RecallQuery, RecallReason } from "./recall-query.ts"
import { evidenceSignals, type RecallSignal, type RecallWeights, recallSignals } from "./recall-weights.ts"
import { answerScores, orderScores, preferUpdates, recencyScores, speakerScores, timeScores } from "./scores/column-score.ts"
import { keyScores, ownScores, scoreField, wholeWorth } from "./scores/field-score.ts"
import { comparedTexts, embeddingPart, type Fusion, fusedScore } from "./scores/fusion.ts"
import { talkScores } from "./scores/talk-score.ts"
import { denseScores } from "./scores/vector-score.ts"
import { bestPlace, formScores, phraseScores } from "./scores/wording-score.ts"
import type { LocalCalendar } from "./time/local-calendar.ts"

const maxHits = 1_000
/** The part of its score that a line keeps if it is a question. */
const questionPart = 0.75

/** Scores by signal and slot. A signal that does not apply to the query is absent. */
type SignalScores = Map<RecallSignal, Float64Array>

/** A query with all that is needed to answer it. */
interface Question {
  readonly query: RecallQuery
  readonly plan: QueryPlan
  readonly calendar: LocalCalendar
  readonly weights: RecallWeights
}

/** The best documents for a query, best first, each with the reasons for its score. */
export function rankDocuments(table: DocumentTable, asked: Question): RecallHit[] {
  const { weights, query, plan } = asked
  table.scoreArrays.restart(table.slots)
  const scores = signalScores(table, asked)
  const evidence = evidenceOf(table, scores, weights)
  const covered = coverage(table, asked, scores)
  const near = scores.get("vector")
  const part = near ? vectorPart(table, near, { evidence: evidence.values, covered, weight: weights.vector }) : 0
  const found = foundSlots(table, scores, asked, part)
  const fused = fuse(scores, weights, { evidence: evidence.values, part, found }, table.scoreArrays.take())
  const passages = joinPassages(table, fused)
  if (plan.times.length === 0) preferUpdates(table, plan, fused)
  const scale = scores.has("vector") ? Math.max(covered, part) : covered
  const wanted = Math.min(maxHits, query.limit)
  const first = topSlots(table, fused, Math.max(wanted, byChance[1]))
  const confidence = query.text.trim() === "" ? () => undefined : confidenceOf(first, fused, scale)
  const hits = first.slice(0, Math.max(0, Math.ceil(wanted))).map((slot) => {
    const best = passages.get(slot) ?? slot
    return {
      id: table.idAt(slot) ?? "",
      score: (fused[slot] ?? 0) * scale,
      confidence: confidence(fused[slot] ?? 0),
      why: reasons(scores, weights, { scale: evidence.scale, part }, best),
      get foundAt() {
        return bestPlace(table, plan, best)
      },
    }
  })
  const { leastScore = Number.NEGATIVE_INFINITY, leastConfidence = 0 } = query
  return hits.filter(({ score, confidence = 1 }) => score >= leastScore && confidence >= leastConfidence)
}

/** The scores from the sixth to the tenth are about what chance gives. */
const byChance = [5, 10] as const

/**
 * The chance that a memory is evidence for the answer, by its score: by how much it is above what chance gives, as a share of the best
 * score and of the question. A logistic regression over the first five memories of each question of the development halves made the
 * numbers.
 */
function confidenceOf(first: readonly number[], fused: Float64Array, scale: number): (score: number) => number {
  const [best = 0, ...others] = first.slice(0, byChance[1]).map((slot) => fused[slot] ?? 0)
  const chance = others.slice(byChance[0] - 1).reduce((sum, score) => sum + score, 0) / (byChance[1] - byChance[0])
  return (score) =>
    1 / (1 + Math.exp(3.1 - (2.8 * (score - chance)) / (best || 1) - 2.2 * Math.min(0.5, scale * (score - chance))))
}

function vectorPart(table: DocumentTable, near: Float64Array, given: Pick<Fusion, "evidence" | "covered" | "weight">): number {
  const known = near.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value))
  const [best, nearest] = [topSlots(table, given.evidence, comparedTexts), topSlots(table, known, comparedTexts)]
  return embeddingPart({ ...given, near, best, nearest })
}

/** The signals by which a text has something of the question. The others only choose among such texts. */
const findingSignals = ["words", "grams", "characters", "keys", "phrase", "neighbours", "session", "talk", "time"] as const

/**
 * 1 for each slot that has something of the question, which for a blank one is each. A question about oneself finds what its speaker says of
 * themselves. If it has no words, a time or a speaker is enough, but not words such as "lately", which everything of the last weeks would
 * match.
 */
function foundSlots(table: DocumentTable, scores: SignalScores, { query, plan }: Question, part: number): Uint8Array {
  const found = new Uint8Array(table.slots)
  if (query.text.trim() === "") return found.fill(1)
  const isVague = plan.times.some((time) => time.kind === "span" && time.isVague)
  const wordless = plan.words.size === 0 && plan.characters.size === 0 && !isVague
  const own = findingSignals.filter((signal) => signal !== "time" || !isVague)
  const asks = plan.isQuestion ? (["self"] as const) : []
  const finding = [...own, ...asks, ...(wordless ? (["speaker"] as const) : []), ...(part > 0 ? (["vector"] as const) : [])]
  for (const values of finding.flatMap((signal) => scores.get(signal) ?? []))
    for (let slot = 0; slot < found.length; slot++) if ((values[slot] ?? 0) > 0) found[slot] = 1
  return found
}

/** Gives each document of several passages the score of the best one, at its first slot, and takes the other slots out. The result has the slots of best passages that are not the first, by first slot. */
function joinPassages(table: DocumentTable, fused: Float64Array): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  if (table.size === table.documents) return best
  for (let slot = 0; slot < fused.length; slot++) {
    const first = ((table.columns.marks[slot] ?? 0) & passageMark) === 0 ? undefined : table.slotOf(table.idAt(slot) ?? "")
    if (first === undefined) continue
    if ((fused[slot] ?? 0) > (fused[first] ?? 0)) best.set(first, slot)
    fused[first] = Math.max(fused[first] ?? 0, fused[slot] ?? 0)
    fused[slot] = Number.NEGATIVE_INFINITY
  }
  return best
}

/** The signals that say how much of a question's words a text has, or the texts beside it. */
const toldSignals = ["words", "grams", "characters", "self", "keys", "neighbours"] as const

/** The share of the question that the best text covers, from 0 to 1. A question without words is covered by whatever it finds. */
function coverage(table: DocumentTable, { plan, weights }: Question, scores: SignalScores): number {
  const { words, characters } = table.fields
  const whole = wholeWorth(words, plan.words, table.size) + wholeWorth(characters, plan.characters, table.size)
  if (whole === 0) return 1
  const best = maxOf(weighedSum(table, { scores, weights, signals: toldSignals }))
  return Math.min(1, best / whole)
}

/** The scores of all slots, of those that are not found the least. The vector signal and the evidence share the score; a document without a vector is scored by the evidence alone. */
function fuse(
  scores: SignalScores,
  weights: RecallWeights,
  { evidence, part, found }: { readonly evidence: Float64Array; readonly part: number; readonly found: Uint8Array },
  fused: Float64Array,
): Float64Array {
  const [near, recency, importance] = [scores.get("vector"), scores.get("recency"), scores.get("importance")]
  for (let slot = 0; slot < fused.length; slot++) {
    const known = found[slot] === 0 ? Number.NEGATIVE_INFINITY : fusedScore(evidence[slot] ?? 0, near?.[slot] ?? Number.NaN, part)
    fused[slot] = known + weights.recency * (recency?.[slot] ?? 0) + weights.importance * (importance?.[slot] ?? 0)
  }
  return fused
}

function reasons(
  scores: SignalScores,
  weights: RecallWeights,
  { scale, part }: { readonly scale: number; readonly part: number },
  slot: number,
): RecallReason[] {
  const near = scores.get("vector")?.[slot]
  const lexicalPart = near === undefined || Number.isNaN(near) ? 1 : 1 - part
  const partOf = (signal: RecallSignal, value: number) =>
    evidenceSignals.includes(signal)
      ? weights[signal] * value * scale * lexicalPart
      : value * (signal === "vector" ? part : weights[signal])
  const parts = recallSignals
    .map((signal) => ({ signal, value: scores.get(signal)?.[slot] ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ signal, value }) => ({ signal, value, part: partOf(signal, value) }))
    .filter(({ part }) => part > 0)
  const total = parts.reduce((sum, { part }) => sum + part, 0)
  return parts.sort((a, b) => b.part - a.part).map(({ signal, value, part }) => ({ signal, value, share: part / total }))
}

/** The scores of each signal that has a weight and applies to the query. */
function signalScores(table: DocumentTable, { query, plan, calendar, weights }: Question): SignalScores {
  const scores = new Map<RecallSignal, Float64Array>()
  for (const [signal, values] of fieldScores(table, plan)) if (weights[signal] > 0) scores.set(signal, values)
  const when = (signal: RecallSignal, applies: boolean, score: () => Float64Array) => {
    if (applies && weights[signal] > 0) scores.set(signal, score())
  }
  when("keys", table.fields.keyWords.totalLength + table.fields.keyCharacters.totalLength > 0, () => keyScores(table, plan))
  when("self", plan.own.size > 0, () => lessForQuestions(table, ownScores(table, plan.own, query.askedBy)))
  when("grams", plan.forms.length > 0, () => formScores(table, plan.forms))
  when("phrase", plan.phrases.length > 0, () => phraseScores(table, plan.phrases))
  when("speaker", plan.speakerIds.size > 0, () => speakerScores(table, plan))
  when("time", plan.times.length > 0, () => timeScores(table, plan, calendar.dayOf))
  when("answer", plan.asked.time || plan.asked.number, () => answerScores(table, plan))
  const ownWords = () => weighedSum(table, { scores, weights, signals: ["words", "grams", "characters", "keys", "phrase"] })
  when("order", plan.order !== undefined, () => orderScores(table, plan, ownWords()))
  const dense = weights.vector > 0 ? denseScores(table, query) : undefined
  if (dense !== undefined) scores.set("vector", dense)
  when("recency", true, () => recencyScores(table, query.nowMs))
  when("importance", true, () => table.columns.importance)
  return scores
}

function fieldScores(table: DocumentTable, plan: QueryPlan): [RecallSignal, Float64Array][] {
  const { scoreArrays } = table
  const neighbours = scoreArrays.take()
  const session = scoreArrays.take()
  const asked = (["words", "characters"] as const).filter((field) => plan[field].size > 0)
  const own = asked.map((field): [RecallSignal, Float64Array] => {
    const scores = scoreArrays.take()
    scoreField(table, field, plan[field], { own: scores, neighbours, session })
    return [field, lessForQuestions(table, scores)]
  })
  return [...own, ["neighbours", neighbours], ["session", session]]
}

/** Lowers the scores of questions: they do not tell what they ask about. The lines beside them still get the full score. */
function lessForQuestions({ columns: { marks } }: DocumentTable, scores: Float64Array): Float64Array {
  for (let slot = 0; slot < scores.length; slot++) {
    if (((marks[slot] ?? 0) & questionMark) !== 0) scores[slot] = (scores[slot] ?? 0) * questionPart
  }
  return scores
}

/** The weighted sum of evidence of each slot, scaled so that the best has 1. The best line's talk is found and scored on the way. */
function evidenceOf(
  table: DocumentTable,
  scores: SignalScores,
  weights: RecallWeights,
): { readonly values: Float64Array; readonly scale: number } {
  const values = weighedSum(table, { scores, weights, signals: evidenceSignals })
  const [first = -1] = weights.talk > 0 ? topSlots(table, values, 1) : []
  if (findingSignals.some((signal) => (scores.get(signal)?.[first] ?? 0) > 0)) {
    const talk = talkScores(table, first, { evidence: values, weight: weights.talk })
    scores.set("talk", talk)
    for (let slot = 0; slot < values.length; slot++) values[slot] = (values[slot] ?? 0) + weights.talk * (talk[slot] ?? 0)
  }
  const best = maxOf(values)
  const scale = best > 0 ? 1 / best : 0
  for (let slot = 0; slot < values.length; slot++) values[slot] = (values[slot] ?? 0) * scale
  return { values, scale }
}

/** The sum of some signals of each slot, each by its weight. */
function weighedSum(
  { scoreArrays, slots }: DocumentTable,
  given: { readonly scores: SignalScores; readonly weights: RecallWeights; readonly signals: readonly RecallSignal[] },
): Float64Array {
  const sums = scoreArrays.take()
  for (const signal of given.signals) {
    const own = given.scores.get(signal)
    const weight = given.weights[signal]
    if (own !== undefined) for (let slot = 0; slot < slots; slot++) sums[slot] = (sums[slot] ?? 0) + weight * (own[slot] ?? 0)
  }
  return sums
}

function maxOf(values: Float64Array): number {
  let best = 0
  for (let slot = 0; slot < values.length; slot++) best = Math.max(best, values[slot] ?? 0)
  return best
}

/** The slots with the highest scores, best first, without those that {@link keepFound} took out. Equal scores are ordered newest first, then by id. */
function topSlots(table: DocumentTable, scores: Float64Array, limit: number): number[] {
  const { slots, size } = table
  const { live } = table.columns
  const wanted = Math.min(Math.ceil(limit), size)
  if (!(wanted > 0)) return []
  const least = leastOf(scores, live, slots, wanted)
  const found: number[] = []
  for (let slot = 0; slot < slots; slot++)
    if (live[slot] === 1 && (scores[slot] ?? 0) > Number.NEGATIVE_INFINITY && (scores[slot] ?? 0) >= least) found.push(slot)
  return found.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || table.newestFirst(a, b)).slice(0, wanted)
}

/** The lowest score among the `wanted` best ones. It sorts only scores that may be among them. */
function leastOf(scores: Float64Array, live: Uint8Array, slots: number, wanted: number): number {
  const kept = new Float64Array(wanted * 4)
  let count = 0
  let least = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < slots; slot++) {
    const score = scores[slot] ?? 0
    if (live[slot] === 0 || score <= least) continue
    kept[count++] = score
    if (count < kept.length) continue
    kept.sort().copyWithin(0, count - wanted)
    count = wanted
    least = kept[0] ?? least
  }
  return kept.subarray(0, count).sort()[count - wanted] ?? least
}
