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
  enabled: lines("current_time", { default: [] }),
  prestartOnly: lines("current_time", { default: [] }),
  maxResultCharacters: wholeNumber({ min: 1, default: 10_000 }),
  groups: list<ToolGroup>(
    { kind: "choice", choices: toolGroups },
    {
      expected: 'an array of groups, such as ["context", "device"]',
    },
  ),
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
  rules: map<string>(
    { kind: "text" },
    {
      names: toolGroups,
      expected: "a table of texts by group",
    },
  ),
})

const prestartEntry = table({
  tool: required(line()),
  args: jsonTable({
    default: {},
  }),
  includeHistory: flag({ default: false }),
  refreshMs: milliseconds(),
  timeoutMs: milliseconds(),
})

export const prestart = tables(prestartEntry, { expected: "an array of tables, written [[prestart]]" })
