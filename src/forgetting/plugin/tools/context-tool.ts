import type { StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../../../core/errors.ts"
import type { Moment } from "../../../forgetting/decay.ts"
import type { ZonedCalendar } from "../../../forgetting/events/zoned-calendar.ts"
import type { BeforeTurnContext } from "../../../services/turn-hook.ts"
import { renderTemplate, type TemplateValues } from "../../../template/render.ts"
import type { TextSchema } from "../../../tools/builtin/text-arguments.ts"
import { defineTool } from "../../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../../tools/tool.ts"
import type { ToolWords } from "../../../tools/tool-words.ts"
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

/** A tool of the context group. */
type ContextToolName = (typeof contextToolNames)[number]

/** What the tools of one turn work on. The state is asked anew at each call, as an earlier one may have changed it. */
export interface ContextToolParts {
  readonly words: Readonly<Record<ContextToolName, ToolWords>>
  readonly settings: VirtualContextSettings
  readonly calendar: ZonedCalendar
  readonly now: Moment
  readonly turn: Pick<BeforeTurnContext, "turnId" | "messages" | "recall">
  read(): VirtualContextState
  write(state: VirtualContextState): void
}

/** What makes a tool of the context group beside its words. */
interface ContextToolDefinition<Kinds extends Readonly<Record<string, ParameterKind>>> {
  readonly name: ContextToolName
  readonly kinds: Kinds
  readonly required?: readonly (keyof Kinds & string)[]
  readonly writes?: boolean
  readonly withAnswer?: boolean
  /** The values of the tool's answer. A {@link refusal} is a failed call that says them. */
  run(args: GivenArguments<Kinds>, context: ToolContext): TemplateValues | Promise<TemplateValues>
}

/** Makes a tool of the context group; what it says stands in its prompt file. */
export function defineContextTool<const Kinds extends Readonly<Record<string, ParameterKind>>>(
  { words }: Pick<ContextToolParts, "words">,
  { name, kinds, required, run, ...flags }: ContextToolDefinition<Kinds>,
): Tool {
  const { description, usageHint, parameters, answer } = words[name]
  return defineTool({
    name,
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    group: "context",
    ...flags,
    inputSchema: toolArguments(kinds, { descriptions: parameters, ...(required ? { required } : {}) }),
    async execute(args, context) {
      try {
        return renderTemplate(answer, await run(args, context))
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown
        throw new PromptStrataError("tool-arguments", renderTemplate(answer, thrown.values), { evidence: thrown.values })
      }
    },
  })
}

class Refusal extends Error {
  readonly values: TemplateValues

  constructor(values: TemplateValues) {
    super()
    this.values = values
  }
}

/** Thrown by a tool that cannot do what it was asked: its answer is rendered with these values. */
export function refusal(values: TemplateValues): Error {
  return new Refusal(values)
}

/** What a parameter holds: a text, a list of texts, or a number. */
type ParameterKind = "text" | "texts" | "number"

interface KindValues {
  readonly text: string
  readonly texts: readonly string[]
  readonly number: number
}

/** The checked arguments: what was not given is absent. */
type GivenArguments<Kinds extends Readonly<Record<string, ParameterKind>>> = {
  readonly [Name in keyof Kinds]?: KindValues[Kinds[Name]]
}

/** A schema of parameters of these kinds, none of them required; a number for a text, a text for a list of one and `null` are understood. */
function toolArguments<const Kinds extends Readonly<Record<string, ParameterKind>>>(
  kinds: Kinds,
  {
    descriptions,
    required = [],
  }: { readonly descriptions: Readonly<Record<string, string>>; readonly required?: readonly string[] },
): TextSchema<GivenArguments<Kinds>> {
  const properties = Object.entries(kinds).map(([name, kind]) => [name, { ...shapes[kind], ...described(descriptions[name]) }])
  const schema = { type: "object", properties: Object.fromEntries(properties), required: [...required] }
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      validate: (args) => validate(kinds, args, required) as StandardSchemaV1.Result<GivenArguments<Kinds>>,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

const shapes = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  number: { type: "number" },
} as const

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description }
}

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
    if (read === undefined) issues.push({ message: `expected ${kind}, received ${kindOf(found)}`, path: [name] })
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

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value
}
