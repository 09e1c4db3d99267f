import { createHash } from "node:crypto"
import { isRecord, stringOf } from "../../core/json-access.ts"
import { sanitise, sanitiseJson } from "../../prompt/encode/sanitise.ts"
import { printJson } from "../../prompt/tools/print-json.ts"
import type { JsonSchema } from "../../prompt/tools/tool.ts"
import { safeLine } from "./warnings.ts"

/** A tool as its server defines it, checked and cleaned. */
export interface RemoteTool {
  /** The name on the server. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Absent when the server gives none, or one that is too large to check results against. */
  readonly outputSchema: JsonSchema | undefined
  /** True when the server says that the tool changes nothing. */
  readonly readOnly: boolean
  /** True when the server says that the tool may destroy something. */
  readonly destructive: boolean
  /** A hash of the definition that the server sent; that of its program follows behind a colon once the server is known. */
  readonly fingerprint: string
}

/** Further warnings are only counted. */
const maxWarnings = 10

/** Returns the good tools of a list that `isAllowed` is true for, each name once. Each bad one is a warning. */
export function readToolList(
  items: readonly unknown[],
  { isAllowed, warn }: { readonly isAllowed: (tool: string) => boolean; readonly warn: (message: string) => void },
): readonly RemoteTool[] {
  const tools = new Map<string, RemoteTool>()
  let problems = 0
  const skip = (raw: unknown, problem: string): void => {
    problems++
    if (problems <= maxWarnings) warn(`The tool ${shownName(raw)} was left out: ${problem}.`)
  }
  for (const raw of items) {
    const tool = readRemoteTool(raw)
    if ("problem" in tool) skip(raw, tool.problem)
    else if (tools.has(tool.name)) skip(raw, "another one has its name")
    else if (isAllowed(tool.name)) tools.set(tool.name, tool)
  }
  if (problems > maxWarnings) warn(`${problems - maxWarnings} more tools were left out.`)
  return [...tools.values()]
}

function shownName(raw: unknown): string {
  const name = isRecord(raw) ? raw.name : undefined
  if (name === undefined) return "without a name"
  return typeof name === "string" ? JSON.stringify(safeLine(name)) : typeof name
}

const namePattern = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]{0,126}[\p{L}\p{N}_-])?$/u
const maxDescriptionCharacters = 4_000
const maxSchemaCharacters = 50_000
/** A deeper schema overflows the stack of `JSON.stringify`. */
const maxSchemaDepth = 64

/** Reads a tool of a server's list, or returns the problem with it. Never throws. */
export function readRemoteTool(raw: unknown): RemoteTool | { readonly problem: string } {
  if (!isRecord(raw)) return { problem: "it is no object" }
  const { name, description, inputSchema, outputSchema, annotations } = raw
  if (typeof name !== "string") return { problem: "it has no name" }
  if (!namePattern.test(name)) return { problem: "its name is no word of letters, digits, _, -, . and /, at most 128" }
  if (description !== undefined && typeof description !== "string") return { problem: "its description is no text" }
  const problem = schemaProblem(inputSchema)
  if (problem !== undefined) return { problem }
  const { $schema: _, ...cleanSchema } = sanitiseJson(inputSchema as JsonSchema).value
  const isChecked = isRecord(outputSchema) && printJson(outputSchema).length <= maxSchemaCharacters && !isDeep(outputSchema)
  return {
    name,
    description: shortened(sanitise(description ?? stringOf(raw.title)).text),
    inputSchema: { ...cleanSchema, type: "object" },
    outputSchema: isChecked ? outputSchema : undefined,
    readOnly: isRecord(annotations) && annotations.readOnlyHint === true,
    destructive: isRecord(annotations) && annotations.destructiveHint === true && annotations.readOnlyHint !== true,
    fingerprint: fingerprintOf(raw),
  }
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return "it has no input schema"
  if (schema.type !== undefined && schema.type !== "object") return "its input schema is not of type object"
  const { properties, required } = schema
  if (properties !== undefined && !isRecord(properties)) return "the properties of its input schema are no object"
  if (required !== undefined && !Array.isArray(required)) return "the required properties of its input schema are no list"
  if (printJson(schema).length > maxSchemaCharacters) return `its input schema has more than ${maxSchemaCharacters} characters`
  return isDeep(schema) ? `its input schema is nested more than ${maxSchemaDepth} levels deep` : undefined
}

function isDeep(value: unknown, levels = maxSchemaDepth): boolean {
  if (levels < 0) return true
  return typeof value === "object" && value !== null && Object.values(value).some((inner) => isDeep(inner, levels - 1))
}

function shortened(text: string): string {
  return text.length <= maxDescriptionCharacters ? text : `${sanitise(text.slice(0, maxDescriptionCharacters)).text}…`
}

/** Covers everything that a prompt may show, exactly as the server sent it. `_meta` and icons are left out. */
function fingerprintOf(raw: Readonly<Record<string, unknown>>): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = raw
  const shown = printJson({ name, title, description, inputSchema, outputSchema, annotations }, { canonical: true })
  return createHash("sha256").update(shown).digest("hex")
}
