import { defaultRecallWeights } from "../../memory/services/recall/recall-weights.ts"
import { promptSlots } from "../../prompt/layers/prompt-names.ts"
import * as key from "../key.ts"
import { backgroundModel } from "./turn.ts"

export const memory = key.table({
  enabled: key.flag({ default: true }),
  store: key.choice(["records", "documents"], { default: "records" }),
  recallLimit: key.wholeNumber({ min: 0, default: 8 }),
  minConfidence: key.number({ min: 0, max: 1, default: 0 }),
  recallTokens: key.wholeNumber({ min: 50, default: 400 }),
  importanceThreshold: key.number({ min: 0, max: 10, default: 5 }),
  reflectEvery: key.wholeNumber({ min: 0, max: 1_000, default: 20 }),
  reflectImportance: key.number({ min: 1 }),
  reflectSchedule: key.line(),
  duplicateSimilarity: key.number({ min: 0.5, max: 1 }),
  rerankMs: key.milliseconds({ default: 1_500 }),
  keys: key.flag({ default: true }),
  batchTurns: key.wholeNumber({ min: 1, max: 50 }),
  stepMs: key.milliseconds({ default: 120_000 }),
  model: backgroundModel,
  profileCharacters: key.wholeNumber({ min: 0, default: 1_000 }),
})

const weight = (fallback: number) => key.number({ min: 0, default: fallback })
const weights = defaultRecallWeights

export const recallWeights = key.table({
  words: weight(weights.words),
  grams: weight(weights.grams),
  characters: weight(weights.characters),
  self: weight(weights.self),
  keys: weight(weights.keys),
  phrase: weight(weights.phrase),
  neighbours: weight(weights.neighbours),
  session: weight(weights.session),
  talk: weight(weights.talk),
  speaker: weight(weights.speaker),
  time: weight(weights.time),
  answer: weight(weights.answer),
  order: weight(weights.order),
  vector: weight(weights.vector),
  recency: weight(weights.recency),
  importance: weight(weights.importance),
})

/** Keys that are no blocks of context, so that a profile cannot leave them out (L7b): every turn needs them. */
export const turnSlots: readonly string[] = [...promptSlots, "tool_parameters"].filter(
  (slot) => slot !== "memories" && slot !== "prestart" && slot !== "file_faults",
)

/** A name, but none of those that every turn needs. */
const contextForm: key.TextForm = {
  expected: "the key of a block of context, not of what every turn needs",
  pattern: `^(?!(?:${turnSlots.join("|")})$)${key.nameForm.pattern?.slice(1)}`,
}

export const context = key.table({
  off: key.list<string, readonly string[]>(
    { kind: "text", form: contextForm },
    {
      default: [],
      expected: 'an array of keys of context, such as ["memories"]',
    },
  ),
  older: key.choice(["drop", "condense", "keep"], { default: "drop" }),
  sessionMarkers: key.flag({ default: false }),
  olderCharacters: key.wholeNumber({ min: 1, default: 120 }),
})
