import { isTexts } from "../../../../core/json-access.ts"
import type { Memo } from "../../../../core/memo.ts"
import type { TemplateValues } from "../../../../prompt/template/render.ts"
import { defineTool } from "../../../../prompt/tools/define-tool.ts"
import { jsonTypeOf } from "../../../../prompt/tools/json-schema.ts"
import type { Tool, ToolContext } from "../../../../prompt/tools/tool.ts"
import { argumentSchema, asText, type ParameterKind } from "../../../../prompt/tools/tool-schema.ts"
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
interface ContextToolDefinition<Kinds extends Readonly<Record<string, Kind>>> {
  readonly name: ContextToolName
  readonly kinds: Kinds
  readonly required?: readonly (keyof Kinds & string)[]
  readonly writes?: boolean
  readonly withAnswer?: "required"
  /** Returns the values of the tool's answer. Throw a {@link CallRefusal} to fail the call with an answer. */
  run(args: GivenArguments<Kinds>, context: ToolContext): TemplateValues | Promise<TemplateValues>
}

/** Makes a tool of the context group. Its texts come from its prompt file. */
export function defineContextTool<const Kinds extends Readonly<Record<string, Kind>>>(
  { words }: Pick<ContextToolParts, "words">,
  { name, kinds, required = [], run, ...flags }: ContextToolDefinition<Kinds>,
): Tool {
  const { description, usageHint, parameters, say, refuse } = words[name]
  const given = Object.entries(kinds).map(([name, kind]) => {
    return { name, kind: parameterKinds[kind], description: parameters[name], optional: !required.includes(name) }
  })
  return defineTool({
    name,
    description,
    usageHint,
    group: "context",
    ...flags,
    inputSchema: argumentSchema<GivenArguments<Kinds>>(given, isNothing),
    async execute(args, context) {
      try {
        return say(await run(args, context))
      } catch (thrown) {
        if (!(thrown instanceof CallRefusal)) throw thrown
        throw refuse(thrown.values, { values: thrown.values })
      }
    },
  })
}

/** An error for a call that cannot be done. The tool's answer is rendered with these values. */
export class CallRefusal extends Error {
  readonly values: TemplateValues

  constructor(values: TemplateValues) {
    super()
    this.values = values
  }
}

/** The type of a parameter: a text, a list of texts, or a number. */
type Kind = keyof typeof parameterKinds

/** The checked arguments. Those that were not given are absent. */
type GivenArguments<Kinds extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Kinds]?: Exclude<ReturnType<(typeof parameterKinds)[Kinds[Name]]["read"]>, undefined>
}

const isNothing = (found: unknown): boolean => found === undefined || found === null || found === ""

function kindOf<Value>(name: string, shape: object, read: (found: unknown) => Value | undefined): ParameterKind<Value> {
  const received = (found: unknown) => (isNothing(found) ? "nothing" : jsonTypeOf(found))
  return { shape: { ...shape }, read, problem: (found) => `expected ${name}, received ${received(found)}` }
}

/** A number stands for a text, a text for a list of one, and `null` or `""` for nothing. */
const parameterKinds = {
  text: kindOf("text", { type: "string" }, asText),
  texts: kindOf("texts", { type: "array", items: { type: "string" } }, (value): readonly string[] | undefined => {
    if (typeof value === "string") return [value]
    return isTexts(value) ? value : undefined
  }),
  number: kindOf("number", { type: "number" }, (value) => {
    const number = typeof value === "string" ? Number(value) : value
    return typeof number === "number" && Number.isFinite(number) ? number : undefined
  }),
}
