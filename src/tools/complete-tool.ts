import { PromptStrataError } from "../core/errors.ts"
import { defineTool, type ToolDefinition } from "./define-tool.ts"
import type { Tool } from "./tool.ts"

/** A tool as it is, or made of a plain definition. Throws `tool-definition` for what is neither, as code without types may bring it. */
export function completeTool(given: unknown): Tool {
  if (typeof given !== "object" || given === null) throw fault(`expected a tool, found ${shown(given)}.`)
  const { name, description, inputSchema, check, execute } = given as Readonly<Record<string, unknown>>
  if (typeof name !== "string" || name.trim() === "")
    throw fault(`expected a tool with a name, found ${name === undefined ? "none" : shown(name)}.`)
  if (typeof execute !== "function")
    throw fault(
      `expected ${JSON.stringify(name)} to have a function execute, found ${execute === undefined ? "none" : "something else"}.`,
    )
  if (typeof check !== "function") return defineTool(given as ToolDefinition)
  if (typeof description !== "string" || typeof inputSchema !== "object" || inputSchema === null)
    throw fault(`expected the tool ${JSON.stringify(name)} as defineTool makes it, found one without description or inputSchema.`)
  return given as Tool
}

function fault(message: string): PromptStrataError {
  return new PromptStrataError("tool-definition", message)
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : value === null ? "null" : `a value of type ${typeof value}`
}
