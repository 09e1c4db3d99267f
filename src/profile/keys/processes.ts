import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { type ToolGroup, toolGroups } from "../../prompt/tools/tool.ts"
import {
  choice,
  flag,
  type InputOf,
  inCode,
  line,
  lines,
  list,
  map,
  milliseconds,
  optionalTable,
  table,
  type ValueType,
  wholeNumber,
} from "../key.ts"
import { budget, limits, loop, model } from "./turn.ts"

/** The dialect of processes that name none. */
export const defaultProcessDialect = "root-tools"

const ownModel = optionalTable(model.keys)

const { id, baseUrl, extraFields, capabilities } = model.keys
const ownServer = { id, baseUrl, extraFields, capabilities }

/** The model of `[memory]`. */
export const backgroundModel = optionalTable(ownServer)

/** `[fallback_model]` */
export const fallbackModel = optionalTable(ownServer)

const processKeys = {
  enabled: flag({ default: true }),
  description: line(),
  tools: lines("read"),
  groups: list<ToolGroup>(
    { kind: "choice", choices: toolGroups },
    {
      expected: 'an array of groups, such as ["context", "device"]',
    },
  ),
  hintMessages: wholeNumber({ min: 0, max: 1_000, default: 6 }),
  timeoutMs: milliseconds({ default: 120_000 }),
  loop: optionalTable(loop.keys),
  limits: optionalTable(limits.keys),
  budget: optionalTable(budget.keys),
  model: ownModel,
} as const

const inCodeProcess = table({
  dialect: inCode<Dialect | string>(),
  ...processKeys,
})

/** `[processes.NAME]` */
const processInFile = table({
  dialect: line({ default: defaultProcessDialect }),
  ...processKeys,
})

/** A table for each thing that a user names, such as `[processes.NAME]`. */
const named = <V>(of: ValueType, name: string) =>
  map<V, object>(of, { default: {}, expected: `a table for each, written [${name}.NAME]` })

/** A process as a profile sets it. */
export interface ProcessSettings extends InputOf<typeof inCodeProcess.keys> {}

export const processes = named<ProcessSettings>(inCodeProcess.type, "processes")

export const processesInFile = named<InputOf<typeof processInFile.keys>>(processInFile.type, "processes")

/** The defaults of a process. */
export const processDefaults = processKeys

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

export const observers = named<ObserverSettings>(observer.type, "observers")
