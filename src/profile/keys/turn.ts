import type { Prices } from "../../core/model/prices.ts"
import type { TrustedText } from "../../core/value.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { type Tool, type ToolGroup, toolGroups } from "../../prompt/tools/tool.ts"
import * as key from "../key.ts"

const loop = key.table({
  mode: key.choice(["json", "native", "chat", "auto"], { default: "json" }),
  maxSteps: key.wholeNumber({ min: 1, max: 1_000, default: 12 }),
  strict: key.flag({ default: false }),
  responseFormat: key.choice(["auto", "json", "text"], { default: "auto" }),
})

const limits = key.table({
  firstTokenMs: key.milliseconds({ default: 60_000 }),
  betweenChunksMs: key.milliseconds({ default: 30_000 }),
  toolMs: key.milliseconds({ default: 30_000 }),
  prestartMs: key.milliseconds({ default: 5_000 }),
  stepMs: key.milliseconds({ default: 120_000 }),
  turnMs: key.milliseconds({ default: 300_000 }),
  confirmMs: key.milliseconds({ default: 600_000 }),
  approvalMs: key.milliseconds({ default: 7 * 86_400_000 }),
  answerCharacters: key.wholeNumber({ min: 1, default: 1_000_000 }),
  turnTokens: key.wholeNumber({ min: 1 }),
  turnUsd: key.number({ min: 0 }),
  dailyTokens: key.wholeNumber({ min: 0 }),
  dailyUsd: key.number({ min: 0 }),
})

export const retry = key.table({
  maxAttempts: key.wholeNumber({ min: 1, max: 100, default: 3 }),
  baseDelayMs: key.milliseconds({ default: 500 }),
  maxDelayMs: key.milliseconds({ default: 20_000 }),
})

const history = key.table({
  toolRuns: key.choice(["auto", "keep", "drop"], { default: "auto" }),
  toolRunTokens: key.wholeNumber({ min: 0 }),
  keepFailed: key.flag({ default: true }),
  contextCount: key.wholeNumber({ min: 0, default: 20 }),
  attachments: key.wholeNumber({ min: 0, default: 4 }),
  groupTokens: key.wholeNumber({ min: 1 }),
  window: key.choice(["slide", "steps", "fill"], { default: "steps" }),
})

const [answerTokens, stepTokens] = [1_000, 2_000]

const conversation = key.table({
  wakesPerUser: key.wholeNumber({ min: 0, max: 1_000, default: 50 }),
  quietFrom: key.line({ form: key.timeOfDayForm }),
  quietTo: key.line({ form: key.timeOfDayForm }),
  agentAnswers: key.wholeNumber({ min: 0, default: 3 }),
  mergeMs: key.wholeNumber({ min: 0, max: 60_000, default: 0 }),
  interrupt: key.choice(["queue", "join", "abort"], { default: "queue" }),
  cacheKeepAlive: key.wholeNumber({ min: 0, max: 100, default: 0 }),
  cacheKeepAliveMs: key.milliseconds({ default: 270_000 }),
})

const budget = key.table({
  tokens: key.wholeNumber({ min: 1 }),
  answerTokens: key.wholeNumber({ min: 0, default: answerTokens }),
  stepTokens: key.wholeNumber({ min: 0, default: stepTokens }),
})

const capabilities = key.optionalTable({
  tools: key.flag(),
  attachments: key.lines("image/*"),
  jsonSchema: key.flag(),
  reasoning: key.flag(),
})

const model = key.table({
  id: key.line(),
  baseUrl: key.line({ form: key.httpUrlForm }),
  capabilities,
  temperature: key.number({ min: 0, max: 2 }),
  maxOutputTokens: key.wholeNumber({ min: 1 }),
  extraFields: key.jsonTable(),
})

/** The prices of models, as a file of `--prices` has them. */
const prices = key.jsonTable({ default: {} }) as unknown as key.Key<Prices, "filled", Prices>

/** A key of its own each time, because each has a sentence of its own. */
const groupList = () =>
  key.list<ToolGroup>({ kind: "choice", choices: toolGroups }, { expected: 'an array of groups, such as ["context", "device"]' })

const shared = {
  enabled: key.lines("current_time", { default: [] }),
  prestartOnly: key.lines("current_time", { default: [] }),
  maxResultCharacters: key.wholeNumber({ min: 1, default: 10_000 }),
  groups: groupList(),
  whileAsked: key.choice(["withdraw", "wait"], { default: "withdraw" }),
  mentions: key.flag({ default: false }),
}

/** The tools of a profile in code. */
export const tools = key.table({
  ...shared,
  builtin: key.inCode<readonly Tool[], "filled">([]),
  rules: key.inCode<Readonly<Partial<Record<ToolGroup, TrustedText>>>, "filled">({}),
})

/** `[tools]` */
export const toolsInFile = key.table({
  ...shared,
  rules: key.map<string>({ kind: "text" }, { names: toolGroups, expected: "a table of texts by group" }),
})

const prestartEntry = key.table({
  tool: key.required(key.line()),
  args: key.jsonTable({ default: {} }),
  includeHistory: key.flag({ default: false }),
  refreshMs: key.milliseconds(),
  timeoutMs: key.milliseconds(),
})

const prestart = key.tables(prestartEntry, { expected: "an array of tables, written [[prestart]]" })

/** The dialect of processes that name none. */
export const defaultProcessDialect = "root-tools"

const ownModel = key.optionalTable(model.keys)

const { id, baseUrl, extraFields } = model.keys

const ownServer = { id, baseUrl, extraFields, capabilities }

/** The model of `[memory]`. */
export const backgroundModel = key.optionalTable(ownServer)

const fallbackModel = key.optionalTable(ownServer)

/** The keys of a process, with their defaults. */
export const processKeys = {
  enabled: key.flag({ default: true }),
  description: key.line(),
  tools: key.lines("read"),
  groups: groupList(),
  hintMessages: key.wholeNumber({ min: 0, max: 1_000, default: 6 }),
  timeoutMs: key.milliseconds({ default: 120_000 }),
  loop: key.optionalTable(loop.keys),
  limits: key.optionalTable(limits.keys),
  budget: key.optionalTable(budget.keys),
  model: ownModel,
} as const

const inCodeProcess = key.table({ dialect: key.inCode<Dialect | string>(), ...processKeys })

/** `[processes.NAME]` */
const processInFile = key.table({ dialect: key.line({ default: defaultProcessDialect }), ...processKeys })

/** A table for each thing that a user names, such as `[processes.NAME]`. */
const named = <V>(of: key.ValueType, name: string) =>
  key.map<V, object>(of, { default: {}, expected: `a table for each, written [${name}.NAME]` })

/** A process as a profile sets it. */
export interface ProcessSettings extends key.InputOf<typeof inCodeProcess.keys> {}

export const processes = named<ProcessSettings>(inCodeProcess.type, "processes")

export const processesInFile = named<key.InputOf<typeof processInFile.keys>>(processInFile.type, "processes")

const observer = key.table({
  enabled: key.flag({ default: true }),
  writer: key.choice(["rule", "model"], { default: "rule" }),
  everyTurns: key.wholeNumber({ min: 1, max: 1_000, default: 1 }),
  record: key.flag({ default: true }),
  inject: key.flag({ default: true }),
  collect: key.flag({ default: true }),
  pulledTurns: key.wholeNumber({ min: 1, max: 10_000, default: 3 }),
  workspaceTurns: key.wholeNumber({ min: 1, max: 10_000, default: 30 }),
  timeoutMs: key.milliseconds({ default: 60_000 }),
  model: ownModel,
})

/** An observer as a profile sets it. */
export interface ObserverSettings extends key.InputOf<typeof observer.keys> {}

/** The keys of an observer. */
export const observerKeys = observer.keys

const observers = named<ObserverSettings>(observer.type, "observers")

/** Tables that a profile has in code and in a file alike, those side by side that stand so in both. */
export const loopTables = { loop, limits }
export const historyTables = { history, conversation, budget }
export const watchTables = { observers, prestart }
export const modelTables = { model, fallbackModel, prices }
