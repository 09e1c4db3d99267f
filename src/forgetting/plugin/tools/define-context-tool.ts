import { PromptStrataError } from "../../../core/errors.ts"
import { renderTemplate, type TemplateValues } from "../../../template/render.ts"
import { defineTool } from "../../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../../tools/tool.ts"
import type { ContextToolName, ContextToolParts } from "../context-tool-parts.ts"
import { type GivenArguments, type ParameterKind, toolArguments } from "../tool-arguments.ts"

/** What makes a tool of the context group beside its words. */
export interface ContextToolDefinition<Kinds extends Readonly<Record<string, ParameterKind>>> {
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
