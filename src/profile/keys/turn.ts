import type { Prices } from "../../core/model/prices.ts"
import type { TrustedText } from "../../core/value.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { type Tool, type ToolGroup, toolGroups } from "../../prompt/tools/tool.ts"
import {
  choice,
  flag,
  httpUrlForm,
  type InputOf,
  inCode,
  jsonTable,
  type Key,
  line,
  lines,
  list,
  map,
  milliseconds,
  number,
  optionalTable,
  required,
  table,
  tables,
  timeOfDayForm,
  type ValueType,
  wholeNumber,
} from "../key.ts"

const loop = table({
  mode: choice(["json", "native", "chat", "auto"], { default: "json" }),
  maxSteps: wholeNumber({ min: 1, max: 1_000, default: 12 }),
  strict: flag({ default: false }),
  responseFormat: choice(["auto", "json", "text"], { default: "auto" }),
})

const limits = table({
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

const history = table({
  toolRuns: choice(["auto", "keep", "drop"], { default: "auto" }),
  toolRunTokens: wholeNumber({ min: 0 }),
  keepFailed: flag({ default: true }),
  contextCount: wholeNumber({ min: 0, default: 20 }),
  attachments: wholeNumber({ min: 0, default: 4 }),
  groupTokens: wholeNumber({ min: 1 }),
  window: choice(["slide", "steps", "fill"], { default: "steps" }),
})

const [answerTokens, stepTokens] = [1_000, 2_000]

const conversation = table({
  wakesPerUser: wholeNumber({ min: 0, max: 1_000, default: 50 }),
  quietFrom: line({ form: timeOfDayForm }),
  quietTo: line({ form: timeOfDayForm }),
  agentAnswers: wholeNumber({ min: 0, default: 3 }),
  mergeMs: wholeNumber({ min: 0, max: 60_000, default: 0 }),
  interrupt: choice(["queue", "join", "abort"], { default: "queue" }),
})

const budget = table({
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

const model = table({
  id: line(),
  baseUrl: line({ form: httpUrlForm }),
  capabilities,
  temperature: number({ min: 0, max: 2 }),
  maxOutputTokens: wholeNumber({ min: 1 }),
  extraFields: jsonTable(),
})

/** The prices of models, as a file of `--prices` has them. */
const prices = jsonTable({ default: {} }) as unknown as Key<Prices, "filled", Prices>

/** A key of its own each time, because each has a sentence of its own. */
const groupList = () =>
  list<ToolGroup>({ kind: "choice", choices: toolGroups }, { expected: 'an array of groups, such as ["context", "device"]' })

const shared = {
  enabled: lines("current_time", { default: [] }),
  prestartOnly: lines("current_time", { default: [] }),
  maxResultCharacters: wholeNumber({ min: 1, default: 10_000 }),
  groups: groupList(),
  whileAsked: choice(["withdraw", "wait"], { default: "withdraw" }),
  mentions: flag({ default: false }),
}

/** The tools of a profile in code. */
export const tools = table({
  ...shared,
  builtin: inCode<readonly Tool[], "filled">([]),
  rules: inCode<Readonly<Partial<Record<ToolGroup, TrustedText>>>, "filled">({}),
})

/** `[tools]` */
export const toolsInFile = table({
  ...shared,
  rules: map<string>({ kind: "text" }, { names: toolGroups, expected: "a table of texts by group" }),
})

const prestartEntry = table({
  tool: required(line()),
  args: jsonTable({ default: {} }),
  includeHistory: flag({ default: false }),
  refreshMs: milliseconds(),
  timeoutMs: milliseconds(),
})

const prestart = tables(prestartEntry, { expected: "an array of tables, written [[prestart]]" })

/** The dialect of processes that name none. */
export const defaultProcessDialect = "root-tools"

const ownModel = optionalTable(model.keys)

const { id, baseUrl, extraFields } = model.keys

const ownServer = { id, baseUrl, extraFields, capabilities }

/** The model of `[memory]`. */
export const backgroundModel = optionalTable(ownServer)

const fallbackModel = optionalTable(ownServer)

/** The keys of a process, with their defaults. */
export const processKeys = {
  enabled: flag({ default: true }),
  description: line(),
  tools: lines("read"),
  groups: groupList(),
  hintMessages: wholeNumber({ min: 0, max: 1_000, default: 6 }),
  timeoutMs: milliseconds({ default: 120_000 }),
  loop: optionalTable(loop.keys),
  limits: optionalTable(limits.keys),
  budget: optionalTable(budget.keys),
  model: ownModel,
} as const

const inCodeProcess = table({ dialect: inCode<Dialect | string>(), ...processKeys })

/** `[processes.NAME]` */
const processInFile = table({ dialect: line({ default: defaultProcessDialect }), ...processKeys })

/** A table for each thing that a user names, such as `[processes.NAME]`. */
const named = <V>(of: ValueType, name: string) =>
  map<V, object>(of, { default: {}, expected: `a table for each, written [${name}.NAME]` })

/** A process as a profile sets it. */
export interface ProcessSettings extends InputOf<typeof inCodeProcess.keys> {}

export const processes = named<ProcessSettings>(inCodeProcess.type, "processes")

export const processesInFile = named<InputOf<typeof processInFile.keys>>(processInFile.type, "processes")

const observer = table({
  enabled: flag({ default: true }),
  writer: choice(["rule", "model"], { default: "rule" }),
  everyTurns: wholeNumber({ min: 1, max: 1_000, default: 1 }),
  record: flag({ default: true }),
  inject: flag({ default: true }),
  collect: flag({ default: true }),
  pulledTurns: wholeNumber({ min: 1, max: 10_000, default: 3 }),
  workspaceTurns: wholeNumber({ min: 1, max: 10_000, default: 30 }),
  timeoutMs: milliseconds({ default: 60_000 }),
  model: ownModel,
})

/** An observer as a profile sets it. */
export interface ObserverSettings extends InputOf<typeof observer.keys> {}

/** The keys of an observer. */
export const observerKeys = observer.keys

const observers = named<ObserverSettings>(observer.type, "observers")

/** Tables that a profile has in code and in a file alike, those side by side that stand so in both. */
export const loopTables = { loop, limits }
export const historyTables = { history, conversation, budget }
export const watchTables = { observers, prestart }
export const modelTables = { model, fallbackModel, prices }
