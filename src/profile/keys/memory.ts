import { defaultRecallWeights } from "../../memory/services/recall/recall-weights.ts"
import { promptSlots } from "../../prompt/layers/prompt-names.ts"
import { choice, flag, line, list, milliseconds, nameForm, number, type TextForm, table, wholeNumber } from "../key.ts"
import { backgroundModel } from "./turn.ts"

export const memory = table({
  enabled: flag({ default: true }),
  store: choice(["records", "documents"], { default: "records" }),
  recallLimit: wholeNumber({ min: 0, default: 8 }),
  minConfidence: number({ min: 0, max: 1, default: 0 }),
  recallTokens: wholeNumber({ min: 50, default: 400 }),
  importanceThreshold: number({ min: 0, max: 10, default: 5 }),
  reflectEvery: wholeNumber({ min: 0, max: 1_000, default: 20 }),
  reflectImportance: number({ min: 1 }),
  reflectSchedule: line(),
  duplicateSimilarity: number({ min: 0.5, max: 1 }),
  rerankMs: milliseconds({ default: 1_500 }),
  keys: flag({ default: true }),
  batchTurns: wholeNumber({ min: 1, max: 50 }),
  stepMs: milliseconds({ default: 120_000 }),
  model: backgroundModel,
  profileCharacters: wholeNumber({ min: 0, default: 1_000 }),
})

const weight = (fallback: number) => number({ min: 0, default: fallback })
const weights = defaultRecallWeights

export const recallWeights = table({
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
const contextForm: TextForm = {
  expected: "the key of a block of context, not of what every turn needs",
  pattern: `^(?!(?:${turnSlots.join("|")})$)${nameForm.pattern?.slice(1)}`,
}

export const context = table({
  off: list<string, readonly string[]>(
    { kind: "text", form: contextForm },
    {
      default: [],
      expected: 'an array of keys of context, such as ["memories"]',
    },
  ),
  older: choice(["drop", "condense", "keep"], { default: "drop" }),
  sessionMarkers: flag({ default: false }),
  olderCharacters: wholeNumber({ min: 1, default: 120 }),
})
