import type { LanguageModel, ModelRequest } from "../../../core/model/language-model.ts"
import type { JsonSchema } from "../../../prompt/tools/tool.ts"
import type { TurnContext } from "../turn-context.ts"

/** True if the model's provider holds a planner's decision to a schema, so that the prompt need not show its form (T52). */
export function keepsToSchema({ agent }: TurnContext, prompt: string, model: LanguageModel): boolean {
  if (prompt !== "planner" || agent.profile.loop.responseFormat === "text") return false
  return model.capabilities.jsonSchema === true && !agent.schemaless.has(model)
}

/** The format that a planner's request asks for: the schema of its decision where the provider keeps to one, else JSON as the profile says. */
export function decisionFormat(turn: TurnContext, model: LanguageModel): ModelRequest["responseFormat"] {
  const { responseFormat } = turn.agent.profile.loop
  if (keepsToSchema(turn, "planner", model)) return { schema: decisionSchema(turn) }
  return responseFormat === "json" || (responseFormat === "auto" && model.capabilities.jsonMode) ? "json" : "text"
}

const nothing: JsonSchema = { type: "null" }
const words: JsonSchema = { anyOf: [{ type: "string" }, nothing] }

/**
 * The JSON Schema of a decision. Members that a decision does not need are null, since a strict mode lets none be left out. A model writes
 * them in this order: the message comes first, so that it streams as soon as the action is known.
 */
function decisionSchema({ progress }: TurnContext): JsonSchema {
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
