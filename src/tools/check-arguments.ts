import type { StandardSchemaV1 } from "@standard-schema/spec"
import { messageOf } from "../core/errors.ts"
import type { ArgumentCheck } from "./tool.ts"

/** More would tell a model nothing new. */
const maxIssues = 20

/**
 * Checks arguments against a Standard Schema; the value is the schema's output, with defaults and transformations.
 * Issues are lines `path: message`, at most 20 and a count of the rest. A validator that throws is an issue; never throws.
 */
export async function checkArguments(schema: StandardSchemaV1, args: unknown): Promise<ArgumentCheck> {
  try {
    const result = await schema["~standard"].validate(args)
    if (result.issues === undefined) return { ok: true, value: result.value }
    const lines = result.issues.slice(0, maxIssues).map(issueLine)
    const more = result.issues.length - lines.length
    return { ok: false, issues: more > 0 ? [...lines, `… (+${more})`] : lines }
  } catch (thrown) {
    return { ok: false, issues: [onOneLine(messageOf(thrown))] }
  }
}

/** What a tool without a validating schema accepts: an object, or nothing at all. */
export async function checkRecord(args: unknown): Promise<ArgumentCheck> {
  if (args === undefined || args === null) return { ok: true, value: {} }
  if (typeof args === "object" && !Array.isArray(args)) return { ok: true, value: args }
  return { ok: false, issues: [`expected object, received ${Array.isArray(args) ? "array" : typeof args}`] }
}

function issueLine(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map(segmentText).join("").replace(/^\./, "")
  return onOneLine(path === "" ? issue.message : `${path}: ${issue.message}`)
}

function segmentText(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? `[${key}]` : `.${String(key)}`
}

function onOneLine(text: string): string {
  return text.replace(/[\n\r\u2028\u2029\u0085\v\f]+/g, " ")
}
