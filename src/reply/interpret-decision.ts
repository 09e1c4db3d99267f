import type { DecisionFault } from "./decision.ts"
import type { StepCount } from "./incoming-text.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJson, tooDeep } from "./json/json-value.ts"

/** A member's value; {@link tooDeep} for one that nests too deep to be built. */
export type MemberValue = JsonValue | typeof tooDeep

/** What a decision's members say. `exact` is false where they had to be understood rather than read. */
export type Interpretation =
  | { readonly action: "tool"; readonly tool: string; readonly args: JsonObject; readonly exact: boolean }
  | {
      readonly action: "finish"
      readonly message?: string
      readonly note?: string
      readonly call?: { readonly tool: string; readonly args: JsonObject }
      readonly exact: boolean
    }
  | { readonly action: "unreadable"; readonly kind: DecisionFault["kind"] }

/** The names under which arguments are accepted, the asked one first. */
const argumentNames = ["args", "arguments", "parameters", "input"] as const

/** The members a decision can have. */
const known: ReadonlySet<string> = new Set(["action", "message", "note", "tool", "name", ...argumentNames])

/** True for a member that a decision can have: all others are read past. */
export function isDecisionMember(name: string): boolean {
  return known.has(name)
}

/** True when the members hold a tool or arguments, under any of their names. */
export function namesCall(members: ReadonlyMap<string, unknown>): boolean {
  return members.has("tool") || argumentNames.some((name) => members.has(name))
}

/** True when the members hold a tool's name and arguments, as asked: whatever else the object was to say adds nothing to the call. */
export function isWholeCall(members: ReadonlyMap<string, MemberValue>): boolean {
  return members.has("tool") && members.has("args")
}

/** Reads the action in any case of letters and with white space around it. */
export function readAction(value: unknown): {
  readonly name: "tool" | "finish" | "unknown"
  readonly exact: boolean
} {
  if (typeof value !== "string") return { name: "unknown", exact: false }
  const name = value.trim().toLowerCase()
  return { name: name === "tool" || name === "finish" ? name : "unknown", exact: name === value }
}

/** Understands a decision's members (T14, T21). Nothing of a call is guessed: no tool, or arguments that are no object, is a fault. */
export function interpretDecision(members: ReadonlyMap<string, MemberValue>, count: StepCount): Interpretation {
  const action = readAction(members.get("action"))
  if (action.name === "tool") return readCall(members, action.exact, count)
  if (action.name === "finish") return readFinish(members, action.exact)
  return { action: "unreadable", kind: members.has("action") ? "unknown-action" : "no-action" }
}

function readCall(members: ReadonlyMap<string, MemberValue>, actionExact: boolean, count: StepCount): Interpretation {
  const toolName = members.has("tool") ? "tool" : "name"
  const tool = members.get(toolName)
  if (typeof tool !== "string" || tool.trim() === "") return { action: "unreadable", kind: "no-tool" }
  const argsName = argumentNames.find((name) => members.has(name))
  const args = readArgs(argsName === undefined ? undefined : members.get(argsName), count)
  if (typeof args === "string") return { action: "unreadable", kind: args }
  const named = toolName === "tool" && tool === tool.trim() && (argsName ?? "args") === "args"
  return { action: "tool", tool: tool.trim(), args: args.value, exact: actionExact && named && args.exact }
}

/** Absent arguments, `null`, blank text and an empty list are none; text must be the JSON of an object, whole. */
function readArgs(
  value: MemberValue | undefined,
  count: StepCount,
): { readonly value: JsonObject; readonly exact: boolean } | DecisionFault["kind"] {
  if (value === undefined) return { value: {}, exact: true }
  if (value === tooDeep) return "too-deep"
  if (isJsonObject(value)) return { value, exact: true }
  if (value === null || (Array.isArray(value) && value.length === 0)) return { value: {}, exact: false }
  if (typeof value !== "string") return "args-not-object"
  if (value.trim() === "") return { value: {}, exact: false }
  const parsed = parseJson(value, count)
  if (parsed === tooDeep) return "too-deep"
  return isJsonObject(parsed) ? { value: parsed, exact: false } : "args-not-object"
}

function readFinish(members: ReadonlyMap<string, MemberValue>, actionExact: boolean): Interpretation {
  const message = readText(members.get("message"))
  if (message === undefined) return { action: "unreadable", kind: "message-not-text" }
  const note = readText(members.get("note")) ?? { text: "", exact: false }
  return {
    action: "finish",
    ...(message.text === "" ? {} : { message: message.text }),
    ...(note.text === "" ? {} : { note: note.text }),
    ...readAccompanyingCall(members),
    exact: actionExact && message.exact && note.exact,
  }
}

/** Only what is written as a call is one: a tool's name and an object. */
function readAccompanyingCall(members: ReadonlyMap<string, MemberValue>): {
  readonly call?: { readonly tool: string; readonly args: JsonObject }
} {
  const [tool, args] = [members.get("tool"), members.get("args")]
  return typeof tool === "string" && tool.trim() !== "" && isJsonObject(args) ? { call: { tool: tool.trim(), args } } : {}
}

/** Blank text and `null` are none; a number or a flag is its text; an object or a list is no text. */
function readText(value: MemberValue | undefined): { readonly text: string; readonly exact: boolean } | undefined {
  if (value === undefined || value === null) return { text: "", exact: true }
  if (typeof value === "string") return { text: value.trim() === "" ? "" : value, exact: true }
  return typeof value === "number" || typeof value === "boolean" ? { text: String(value), exact: false } : undefined
}
