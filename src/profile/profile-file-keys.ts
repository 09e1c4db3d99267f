import { decayPresets } from "../memory/forgetting/decay.ts"
import { weekKinds } from "../memory/forgetting/events/stamp.ts"
import { virtualContextDefaults } from "../memory/forgetting/plugin/virtual-context-settings.ts"
import { defaultLore } from "../prompt/layers/lorebook/lore-settings.ts"
import { choice, flag, type InputOf, line, lines, map, number, share, table, textForm, timeZoneForm, wholeNumber } from "./key.ts"
import { documents, files, outputInFile } from "./keys/files.ts"
import { mcp } from "./keys/mcp.ts"
import { context, memory, recallWeights } from "./keys/memory.ts"
import { historyTables, loopTables, modelTables, processesInFile, retry, toolsInFile, watchTables } from "./keys/turn.ts"
import { agent, defaultDialect, topKeys, user } from "./profile-keys.ts"

const defaults = virtualContextDefaults
const { keep, weights } = defaults.events
const decay = decayPresets.workspace

const count = (fallback: number) => wholeNumber({ min: 0, max: 10_000, default: fallback })
const atLeastOne = (fallback: number) => wholeNumber({ min: 1, max: 1_000_000, default: fallback })
const part = (fallback: number) => share({ default: fallback })
const amount = (fallback: number) => number({ min: 0, max: 1_000, default: fallback })

const events = table({
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

const workspace = table({
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

const pulled = table({
  keepTurns: count(defaults.pulled.keepTurns),
  maxItems: atLeastOne(defaults.pulled.maxItems),
  summaryCharacters: atLeastOne(defaults.pulled.summaryCharacters),
  tools: lines("read", { default: defaults.pulled.tools }),
})

const compression = table({
  maxCharacters: atLeastOne(defaults.compression.maxCharacters),
  miniFullContextCount: count(defaults.compression.fullMessages),
  budgetCharacters: atLeastOne(defaults.compression.budgetCharacters),
  targetCharacters: atLeastOne(defaults.compression.targetCharacters),
  writer: choice(["rule", "model"], { default: defaults.compression.writer }),
})

/** The table `[lorebook]` of a profile's file. */
const lorebook = table({
  files: lines("./world.json", { default: [] }),
  place: choice(["end", "card"], { default: defaultLore.place }),
  budgetShare: share({ default: defaultLore.budgetShare }),
  stayTurns: wholeNumber({ min: 0, max: 1_000, default: defaultLore.stayTurns }),
  names: flag({ default: defaultLore.names }),
  wholeWords: flag({ default: defaultLore.wholeWords }),
  ignoreAccents: flag({ default: defaultLore.ignoreAccents }),
  scanDepth: wholeNumber({ min: 0, max: 1_000, default: defaultLore.scanDepth }),
  recursive: flag({ default: defaultLore.recursive }),
  maxRecursion: wholeNumber({ min: 0, max: 1_000, default: defaultLore.maxRecursion }),
  minEntries: wholeNumber({ min: 0, max: 10_000, default: defaultLore.minEntries }),
  maxDepth: wholeNumber({ min: 1, max: 10_000 }),
})

/** The table `[author_note]` of a profile's file. */
const authorNote = table({
  text: line({ form: textForm }),
  depth: wholeNumber({ min: 0, max: 10_000, default: 4 }),
  interval: wholeNumber({ min: 0, max: 10_000, default: 1 }),
  role: choice(["system", "user", "assistant"], { default: "system" }),
})

const prompt = table({
  dialect: line({ default: defaultDialect }),
  folder: line(),
  persona: line(),
  greeting: wholeNumber({ min: 1, max: 10_000, default: 1 }),
  scripts: flag({ default: true }),
  sprites: line(),
  format: line(),
  finalSystem: line(),
})

const plugins = table({
  enabled: lines("memory", { default: [] }),
  options: map<Readonly<Record<string, unknown>>>(
    { kind: "json" },
    { expected: "a table for each plugin, written [plugins.options.NAME]" },
  ),
})

const skills = table({
  enabled: lines("diary", { default: [] }),
  folders: lines("../skills", { default: [] }),
  modes: map<"inline" | "outline">(
    { kind: "choice", choices: ["inline", "outline"] },
    { expected: "a table of modes by the skill's name" },
  ),
})

/** Every key of a profile's file, in the order of docs/profile.md. Each may be left out: it is inherited, or has its default (L9). */
export const profileFileKeys = table({
  extends: line(),
  ...topKeys,
  agent,
  user,
  prompt,
  variables: map<string | boolean | number>({ kind: "scalar" }, { expected: "a table" }),
  lorebook,
  authorNote,
  plugins,
  skills,
  output: outputInFile,
  context,
  memory,
  recallWeights,
  documents,
  files,
  events,
  workspace,
  pulled,
  compression,
  tools: toolsInFile,
  processes: processesInFile,
  ...watchTables,
  ...loopTables,
  retry,
  ...historyTables,
  ...modelTables,
  mcp,
})

/** The settings of a profile's file, checked, with camelCase names. */
export type ProfileFile = InputOf<typeof profileFileKeys.keys>
