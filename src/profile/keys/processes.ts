import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { type ToolGroup, toolGroups } from "../../prompt/tools/tool.ts"
import {
  choice,
  flag,
  type InputOf,
  inCode,
  type Keys,
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

/** A table of which a process sets single keys. Those that it leaves out are the agent's own. */
const own = <K extends Keys>({ words, keys }: { readonly words: string; readonly keys: K }) =>
  optionalTable(`${words} What is left out is as for the agent itself.`, keys)

const ownModel = optionalTable("A model of its own. What is left out is as for the agent itself.", model.keys)

const { id, baseUrl, extraFields, capabilities } = model.keys
const ownServer = { id, baseUrl, extraFields, capabilities }

/** The model of `[memory]`. */
export const backgroundModel = optionalTable(
  "A model for work behind turns, such as a small one. If it fails, the agent's own is asked. What is left out is as for the agent.",
  ownServer,
)

/** `[fallback_model]` */
export const fallbackModel = optionalTable(
  "The model that a turn goes on with where a request to another one would pass a limit of `[limits]`. Its tokens count apart, up to the same limits; its money counts with all other. What is left out is as for the agent.",
  ownServer,
)

const processKeys = {
  enabled: flag({ default: true, words: "With false there is no such process, and the agent has its tools itself." }),
  description: line({
    otherwise: "a shipped sentence, and the descriptions of its tools",
    words: "What the agent reads about the process: what it can be asked for.",
  }),
  tools: lines("read", {
    words: "The tools that the process takes over from the agent, by name. With `groups` it takes those too.",
    otherwise: "all that no other process names",
  }),
  groups: list<ToolGroup>(
    { kind: "choice", choices: toolGroups },
    {
      expected: 'an array of groups, such as ["context", "device"]',
      words: `The groups of tools that it takes over: ${toolGroups.join(", ")}.`,
      otherwise: "all that no other process names",
    },
  ),
  hintMessages: wholeNumber({
    min: 0,
    max: 1_000,
    default: 6,
    words:
      "How many of the conversation's last messages it sees. It also sees the titles of the workspace, pulled information and recent events.",
  }),
  timeoutMs: milliseconds({ default: 120_000, words: "The time limit of one call." }),
  loop: own(loop),
  limits: own(limits),
  budget: optionalTable("A token budget of its own. Without this table it has the agent's.", budget.keys),
  model: ownModel,
} as const

const processWords =
  "An agent behind a tool (R25): it gets a sentence, does the work with its own prompt, tools, model and budget, and hands back the result. It remembers nothing."

const processDialect = "The layout of its prompts: a dialect's name."

const inCodeProcess = table(processWords, {
  dialect: inCode<Dialect | string>(`${processDialect} Default: ${defaultProcessDialect}.`),
  ...processKeys,
})

/** `[processes.NAME]` */
const processInFile = table(processWords, {
  dialect: line({
    default: defaultProcessDialect,
    words: `${processDialect} Either a shipped one, or a folder in your own prompts folder.`,
  }),
  ...processKeys,
})

/** A table for each thing that a user names, such as `[processes.NAME]`. */
const named = <V>(of: ValueType, name: string, words: string) =>
  map<V, object>(of, { default: {}, otherwise: "none", expected: `a table for each, written [${name}.NAME]`, words })

const processesWords =
  "A table for each process. The agent sees one tool called NAME in place of the tools that the process takes over. Tools that come with an answer, such as `report_use`, stay with the agent."

/** A process as a profile sets it. */
export interface ProcessSettings extends InputOf<typeof inCodeProcess.keys> {}

export const processes = named<ProcessSettings>(inCodeProcess.type, "processes", processesWords)

export const processesInFile = named<InputOf<typeof processInFile.keys>>(processInFile.type, "processes", processesWords)

/** The defaults of a process. */
export const processDefaults = processKeys

const observer = table(
  "An observer that ships with the agent (R26). It looks at each turn when it is over: it writes events, leaves a note for the next turn, and takes garbage out of the workspace and of pulled information. No turn waits for it. It works on the virtual context.",
  {
    enabled: flag({ default: true, words: "With false there is no such observer." }),
    writer: choice(["rule", "model"], {
      default: "rule",
      words: "A rule decides what is recorded, noted and collected, or a model does. A rule costs nothing.",
    }),
    everyTurns: wholeNumber({ min: 1, max: 1_000, default: 1, words: "It looks at every so many turns." }),
    record: flag({ default: true, words: "Write events. The rule records what processes did." }),
    inject: flag({
      default: true,
      words: "Leave a note for the next turn: what was put away, and whether a report of use was missing.",
    }),
    collect: flag({
      default: true,
      words: "Take garbage out of the workspace and of pulled information. Files are never touched.",
    }),
    pulledTurns: wholeNumber({
      min: 1,
      max: 10_000,
      default: 3,
      words: "The rule collects pulled information that nobody has named for so many turns, and what lies in the workspace too.",
    }),
    workspaceTurns: wholeNumber({
      min: 1,
      max: 10_000,
      default: 30,
      words: "The rule collects what was put into the workspace so many turns ago, and was never used or named since.",
    }),
    timeoutMs: milliseconds({ default: 60_000, words: "The time that it has for one turn." }),
    model: ownModel,
  },
)

/** An observer as a profile sets it. */
export interface ObserverSettings extends InputOf<typeof observer.keys> {}

/** The keys of an observer. */
export const observerKeys = observer.keys

export const observers = named<ObserverSettings>(
  observer.type,
  "observers",
  "A table for each observer. That of the main process is called main-observer.",
)
