import type { TrustedText } from "../../core/value.ts"
import { type Tool, type ToolGroup, toolGroups } from "../../prompt/tools/tool.ts"
import {
  choice,
  flag,
  inCode,
  jsonTable,
  line,
  lines,
  list,
  map,
  milliseconds,
  required,
  table,
  tables,
  wholeNumber,
} from "../key.ts"

const shared = {
  enabled: lines("current_time", { default: [], words: "Built-in tools, by name." }),
  prestartOnly: lines("current_time", { default: [], words: "Tools that run only as prestart. The planner does not see them." }),
  maxResultCharacters: wholeNumber({ min: 1, default: 10_000, words: "A longer result is cut, and a notice says so." }),
  groups: list<ToolGroup>(
    { kind: "choice", choices: toolGroups },
    {
      expected: 'an array of groups, such as ["context", "device"]',
      words: `Groups whose tools the agent has: ${toolGroups.join(", ")}. Tools without a group are always there.`,
      otherwise: "all",
    },
  ),
  whileAsked: choice(["withdraw", "wait"], {
    default: "withdraw",
    words:
      'What a message does that comes while a tool call waits for approval. "withdraw": the question is closed, the call does not run, and the model is told. "wait": the message waits for the answer.',
  }),
  mentions: flag({
    default: false,
    words: "In the arguments of calls, replace `@last_NAME` and `@last_3_NAME` by what NAME said.",
  }),
}

const toolsWords = "Which built-in tools there are, and how all tools behave."

/** The tools of a profile in code. */
export const tools = table(toolsWords, {
  ...shared,
  builtin: inCode<readonly Tool[], "filled">("The built-in tools themselves. `loadProfile` makes those that are enabled.", []),
  rules: inCode<Readonly<Partial<Record<ToolGroup, TrustedText>>>, "filled">("Rules of use of groups, for prompts (R28).", {}),
})

/** `[tools]` */
export const toolsInFile = table(toolsWords, {
  ...shared,
  rules: map<string>(
    { kind: "text" },
    {
      names: toolGroups,
      expected: "a table of texts by group",
      words: "Rules of use for a group's tools, in your words. Dialects that name `${tool_groups}` show them with the tools.",
      otherwise: "none",
    },
  ),
})

const prestartEntry = table("A tool that runs before the first plan.", {
  tool: required(line({ words: "The tool's name." })),
  args: jsonTable({
    default: {},
    words: "Its arguments. {{question}} in a string is filled with what the user said.",
    otherwise: "none",
  }),
  includeHistory: flag({ default: false, words: "Later turns see the result. An unchanged one is not kept again." }),
  refreshMs: milliseconds({
    otherwise: "it runs in every turn",
    words: "How long later turns of the conversation use its last result, with its age, in place of running it again.",
  }),
  timeoutMs: milliseconds({ words: "Its time limit.", otherwise: "`limits.prestart_ms`" }),
})

export const prestart = tables(prestartEntry, {
  expected: "an array of tables, written [[prestart]]",
  words: "Tools that run before the first plan, all at the same time.",
  otherwise: "none",
})
