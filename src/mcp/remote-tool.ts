import { createHash } from "node:crypto"
import { sanitise, sanitiseJson } from "../encode/sanitise.ts"
import { printJson } from "../tools/print-json.ts"
import type { JsonSchema } from "../tools/tool.ts"
import { isRecord, stringOf } from "./any-result.ts"

/** A tool as its server defines it, read and made fit to be shown. */
export interface RemoteTool {
  /** Its name on the server. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  /** The server says that it changes nothing. */
  readonly readOnly: boolean
  /** Of everything that the server said of it; another definition has another. */
  readonly fingerprint: string
}

const namePattern = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]{0,126}[\p{L}\p{N}_-])?$/u
const maxDescriptionCharacters = 4_000
const maxSchemaCharacters = 50_000
/** Deeper ones overflow the stack of whoever prints them as JSON. */
const maxSchemaDepth = 64

/** A tool of a server's list, or what is wrong with it. Never throws. */
export function readRemoteTool(raw: unknown): RemoteTool | { readonly problem: string } {
  if (!isRecord(raw)) return { problem: "it is no object" }
  const { name, description, inputSchema, outputSchema, annotations } = raw
  if (typeof name !== "string") return { problem: "it has no name" }
  if (!namePattern.test(name)) return { problem: "its name is no word of letters, digits, _, -, . and /, at most 128" }
  if (description !== undefined && typeof description !== "string") return { problem: "its description is no text" }
  const problem = schemaProblem(inputSchema)
  if (problem !== undefined) return { problem }
  const isChecked = isRecord(outputSchema) && printJson(outputSchema).length <= maxSchemaCharacters && !isDeep(outputSchema)
  return {
    name,
    description: shortened(sanitise(description ?? stringOf(raw.title) ?? "").text),
    inputSchema: objectSchema(inputSchema),
    ...(isChecked ? { outputSchema } : {}),
    readOnly: isRecord(annotations) && annotations.readOnlyHint === true,
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

function isDeep(schema: unknown): boolean {
  let level: unknown[] = [schema]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxSchemaDepth) return true
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []))
  }
  return false
}

function objectSchema(schema: unknown): JsonSchema {
  const { value } = sanitiseJson(schema as JsonSchema)
  const { $schema: _, ...rest } = value
  return { ...rest, type: "object" }
}

function shortened(text: string): string {
  return text.length <= maxDescriptionCharacters ? text : `${sanitise(text.slice(0, maxDescriptionCharacters)).text}…`
}

/** Everything but `_meta` and icons, which no prompt shows: what a person approves is what was said, to the letter. */
function fingerprintOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Readonly<Record<string, unknown>>): string {
  const said = printJson({ name, title, description, inputSchema, outputSchema, annotations }, { canonical: true })
  return createHash("sha256").update(said).digest("hex")
}
