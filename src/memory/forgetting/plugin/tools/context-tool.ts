import type { StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../../../../core/errors.ts"
import type { Memo } from "../../../../core/memo.ts"
import type { TemplateValues } from "../../../../prompt/template/render.ts"
import { renderTemplate } from "../../../../prompt/template/render-template.ts"
import { defineTool } from "../../../../prompt/tools/define-tool.ts"
import { handWrittenSchema, type TextSchema } from "../../../../prompt/tools/text-arguments.ts"
import type { Tool, ToolContext } from "../../../../prompt/tools/tool.ts"
import type { ToolWords } from "../../../../prompt/tools/tool-words.ts"
import type { BeforeTurnContext } from "../../../services/turn-hook.ts"
import type { Moment } from "../../decay.ts"
import type { ZonedCalendar } from "../../events/zoned-calendar.ts"
import type { VirtualContextState } from "../context-state.ts"
import type { VirtualContextSettings } from "../virtual-context-settings.ts"

/** The tools of the context group (R28), by name. */
export const contextToolNames = [
  "report_use",
  "put_into_workspace",
  "take_out_of_workspace",
  "pull_messages",
  "discard_pulled",
  "search_events",
  "record_event",
  "search_memories",
  "compress",
] as const

type ContextToolName = (typeof contextToolNames)[number]

/** The data that the tools of a turn work on. A tool reads the state anew at each call, because an earlier call may have changed it. */
export interface ContextToolParts {
  readonly words: Readonly<Record<ContextToolName, ToolWords>>
  readonly settings: VirtualContextSettings
  readonly calendar: ZonedCalendar
  readonly now: Moment
  /** Remembers the terms of the events' texts. */
  readonly memo: Memo
  readonly turn: Pick<BeforeTurnContext, "turnId" | "messages" | "recall">
  read(): VirtualContextState
  write(state: VirtualContextState): void
}

/** A tool of the context group, without its texts. */
interface ContextToolDefinition<Kinds extends Readonly<Record<string, ParameterKind>>> {
  readonly name: ContextToolName
  readonly kinds: Kinds
  readonly required?: readonly (keyof Kinds & string)[]
  readonly writes?: boolean
  readonly withAnswer?: "required"
  /** Returns the values of the tool's answer. Throw a {@link Refusal} to fail the call with an answer. */
  run(args: GivenArguments<Kinds>, context: ToolContext): TemplateValues | Promise<TemplateValues>
}

/** Makes a tool of the context group. Its texts come from its prompt file. */
export function defineContextTool<const Kinds extends Readonly<Record<string, ParameterKind>>>(
  { words }: Pick<ContextToolParts, "words">,
  { name, kinds, required = [], run, ...flags }: ContextToolDefinition<Kinds>,
): Tool {
  const { description, usageHint, parameters, answer } = words[name]
  return defineTool({
    name,
    description,
    usageHint,
    group: "context",
    ...flags,
    inputSchema: toolArguments(kinds, parameters, required),
    async execute(args, context) {
      try {
        return renderTemplate(answer, await run(args, context))
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown
        throw new PromptStrataError("tool-arguments", renderTemplate(answer, thrown.values), {
          evidence: { values: thrown.values },
        })
      }
    },
  })
}

/** An error for a call that cannot be done. The tool's answer is rendered with these values. */
export class Refusal extends Error {
  readonly values: TemplateValues

  constructor(values: TemplateValues) {
    super()
    this.values = values
  }
}

/** The type of a parameter: a text, a list of texts, or a number. */
type ParameterKind = "text" | "texts" | "number"

type KindValues = { readonly text: string; readonly texts: readonly string[]; readonly number: number }

/** The checked arguments. Those that were not given are absent. */
type GivenArguments<Kinds extends Readonly<Record<string, ParameterKind>>> = {
  readonly [Name in keyof Kinds]?: KindValues[Kinds[Name]]
}

/** A schema of parameters of these kinds. It accepts a number for a text, a text for a list of one, and `null` for nothing. */
function toolArguments<const Kinds extends Readonly<Record<string, ParameterKind>>>(
  kinds: Kinds,
  descriptions: Readonly<Record<string, string>>,
  required: readonly string[],
): TextSchema<GivenArguments<Kinds>> {
  const properties = Object.entries(kinds).map(([name, kind]) => {
    const description = descriptions[name]
    return [name, description === undefined ? shapes[kind] : { ...shapes[kind], description }]
  })
  const schema = { type: "object", properties: Object.fromEntries(properties), required: [...required] }
  return handWrittenSchema(schema, (args) => validate(kinds, args, required) as StandardSchemaV1.Result<GivenArguments<Kinds>>)
}

const shapes = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  number: { type: "number" },
} as const

function validate(
  kinds: Readonly<Record<string, ParameterKind>>,
  args: unknown,
  required: readonly string[],
): StandardSchemaV1.Result<Record<string, unknown>> {
  if (typeof args !== "object" || args === null) return { issues: [{ message: "expected object" }] }
  const given = new Map(Object.entries(args))
  const issues: StandardSchemaV1.Issue[] = []
  const value: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const found = given.get(name)
    if (found === undefined || found === null || found === "") {
      if (required.includes(name)) issues.push({ message: `expected ${kind}, received nothing`, path: [name] })
      continue
    }
    const read = readers[kind](found)
    const received = Array.isArray(found) ? "array" : typeof found
    if (read === undefined) issues.push({ message: `expected ${kind}, received ${received}`, path: [name] })
    else value[name] = read
  }
  return issues.length > 0 ? { issues } : { value }
}

const readers: { readonly [Kind in ParameterKind]: (value: unknown) => KindValues[Kind] | undefined } = {
  text: (value) => (typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined),
  texts: (value) => {
    if (typeof value === "string") return [value]
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined
  },
  number: (value) => {
    const number = typeof value === "string" ? Number(value) : value
    return typeof number === "number" && Number.isFinite(number) ? number : undefined
  },
}
