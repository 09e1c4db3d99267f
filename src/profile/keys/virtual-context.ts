import { decayPresets } from "../../memory/forgetting/decay.ts"
import { weekKinds } from "../../memory/forgetting/events/stamp.ts"
import { virtualContextDefaults } from "../../memory/forgetting/plugin/virtual-context-settings.ts"
import { choice, line, lines, number, share, table, timeZoneForm, wholeNumber } from "../key.ts"

const defaults = virtualContextDefaults
const { keep, weights } = defaults.events
const decay = decayPresets.workspace

const count = (fallback: number) => wholeNumber({ min: 0, max: 10_000, default: fallback })
const atLeastOne = (fallback: number) => wholeNumber({ min: 1, max: 1_000_000, default: fallback })
const part = (fallback: number) => share({ default: fallback })
const amount = (fallback: number) => number({ min: 0, max: 1_000, default: fallback })
export const events = table({
  timeZone: line({ form: timeZoneForm }),
  weeks: choice(weekKinds, { default: defaults.events.weeks }),
  rememberYears: count(keep.year),
  rememberMonths: count(keep.month),
  rememberWeeks: count(keep.week),
  rememberDays: count(keep.day),
  rememberTopics: count(keep.moment),
  shownCharacters: atLeastOne(defaults.events.shownCharacters),
  broughtBack: count(defaults.events.broughtBack),
  minScore: amount(defaults.events.minScore),
  weightStability: part(weights.stability),
  weightRetrievability: part(weights.retrievability),
  weightImportance: part(weights.importance),
  weightRelevance: part(weights.relevance),
  topicGapMinutes: number({ min: 1, max: 10_000, default: defaults.events.topicGapMs / 60_000 }),
  topicTurns: atLeastOne(defaults.events.topicTurns),
  writer: choice(["model", "rule", "model-call"], { default: defaults.events.writer }),
  maxEvents: atLeastOne(defaults.events.maxEvents),
})

export const workspace = table({
  clock: choice(["days", "turns"], { default: defaults.workspace.clock.by }),
  turnsPerDay: number({ min: 0.01, max: 10_000, default: 20 }),
  evictBelow: part(defaults.workspace.evictBelow),
  maxItems: atLeastOne(defaults.workspace.maxItems),
  shownItems: count(defaults.workspace.shownItems),
  shownCharacters: atLeastOne(defaults.workspace.shownCharacters),
  gain: amount(decay.gain),
  usedDifficulty: amount(decay.usedDifficulty),
  maybeUsedDifficulty: amount(decay.maybeUsedDifficulty),
  maxJumpMini: count(decay.maxJumpMini),
  maxJumpLarge: count(decay.maxJumpLarge),
})

export const pulled = table({
  keepTurns: count(defaults.pulled.keepTurns),
  maxItems: atLeastOne(defaults.pulled.maxItems),
  summaryCharacters: atLeastOne(defaults.pulled.summaryCharacters),
  tools: lines("read", { default: defaults.pulled.tools }),
})

export const compression = table({
  maxCharacters: atLeastOne(defaults.compression.maxCharacters),
  miniFullContextCount: count(defaults.compression.fullMessages),
  budgetCharacters: atLeastOne(defaults.compression.budgetCharacters),
  targetCharacters: atLeastOne(defaults.compression.targetCharacters),
  writer: choice(["rule", "model"], { default: defaults.compression.writer }),
})
