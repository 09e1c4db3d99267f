import type { JsonSchema } from "../../../prompt/tools/tool.ts"
import type { TurnContext } from "../turn-context.ts"

const nothing: JsonSchema = { type: "null" }
const words: JsonSchema = { anyOf: [{ type: "string" }, nothing] }

/**
 * The JSON Schema of a decision. Members that a decision does not need are null, since a strict mode lets none be left out. A model writes
 * them in this order: the message comes first, so that it streams as soon as the action is known.
 */
export function decisionSchema({ progress }: TurnContext): JsonSchema {
  const tools = progress.tools.plannerTools
  const names = tools.map(({ name }) => name)
  const calls = {
    tool: { anyOf: [{ type: "string", enum: names }, nothing] },
    args: { anyOf: [...tools.map(argumentsOf), nothing] },
  }
  const properties = {
    action: { type: "string", enum: tools.length > 0 ? ["tool", "finish"] : ["finish"] },
    message: words,
    ...(progress.output ? { note: words } : {}),
    ...(tools.length > 0 ? calls : {}),
  }
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false }
}

/** The schema of a tool's arguments. One with references is any object, because its references begin at its own root. */
function argumentsOf({ inputSchema }: { readonly inputSchema: JsonSchema }): JsonSchema {
  return JSON.stringify(inputSchema).includes('"$ref"') ? { type: "object" } : inputSchema
}
