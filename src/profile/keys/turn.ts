import type { Prices } from "../../core/model/prices.ts"
import {
  choice,
  flag,
  httpUrlForm,
  jsonTable,
  type Key,
  line,
  lines,
  milliseconds,
  number,
  optionalTable,
  table,
  timeOfDayForm,
  wholeNumber,
} from "../key.ts"

export const loop = table({
  mode: choice(["json", "native", "chat", "auto"], { default: "json" }),
  maxSteps: wholeNumber({ min: 1, max: 1_000, default: 12 }),
  strict: flag({ default: false }),
  responseFormat: choice(["auto", "json", "text"], { default: "auto" }),
})

export const limits = table({
  firstTokenMs: milliseconds({ default: 60_000 }),
  betweenChunksMs: milliseconds({ default: 30_000 }),
  toolMs: milliseconds({ default: 30_000 }),
  prestartMs: milliseconds({ default: 5_000 }),
  stepMs: milliseconds({ default: 120_000 }),
  turnMs: milliseconds({ default: 300_000 }),
  confirmMs: milliseconds({ default: 600_000 }),
  approvalMs: milliseconds({ default: 7 * 86_400_000 }),
  answerCharacters: wholeNumber({ min: 1, default: 1_000_000 }),
  turnTokens: wholeNumber({ min: 1 }),
  turnUsd: number({ min: 0 }),
  dailyTokens: wholeNumber({ min: 0 }),
  dailyUsd: number({ min: 0 }),
})

export const retry = table({
  maxAttempts: wholeNumber({ min: 1, max: 100, default: 3 }),
  baseDelayMs: milliseconds({ default: 500 }),
  maxDelayMs: milliseconds({ default: 20_000 }),
})

export const history = table({
  toolRuns: choice(["auto", "keep", "drop"], { default: "auto" }),
  toolRunTokens: wholeNumber({ min: 0 }),
  keepFailed: flag({ default: true }),
  contextCount: wholeNumber({ min: 0, default: 20 }),
  attachments: wholeNumber({ min: 0, default: 4 }),
  groupTokens: wholeNumber({ min: 1 }),
  window: choice(["slide", "steps", "fill"], { default: "steps" }),
})

const [answerTokens, stepTokens] = [1_000, 2_000]

export const conversation = table({
  wakesPerUser: wholeNumber({ min: 0, max: 1_000, default: 50 }),
  quietFrom: line({ form: timeOfDayForm }),
  quietTo: line({ form: timeOfDayForm }),
  agentAnswers: wholeNumber({ min: 0, default: 3 }),
  mergeMs: wholeNumber({ min: 0, max: 60_000, default: 0 }),
  interrupt: choice(["queue", "join", "abort"], { default: "queue" }),
})

export const budget = table({
  tokens: wholeNumber({ min: 1 }),
  answerTokens: wholeNumber({ min: 0, default: answerTokens }),
  stepTokens: wholeNumber({ min: 0, default: stepTokens }),
})

const capabilities = optionalTable({
  tools: flag(),
  attachments: lines("image/*"),
  jsonSchema: flag(),
  reasoning: flag(),
})

export const model = table({
  id: line(),
  baseUrl: line({ form: httpUrlForm }),
  capabilities,
  temperature: number({ min: 0, max: 2 }),
  maxOutputTokens: wholeNumber({ min: 1 }),
  extraFields: jsonTable(),
})

/** The prices of models, as a file of `--prices` has them. */
export const prices = jsonTable({
  default: {},
}) as unknown as Key<Prices, "filled", Prices>
