import { defined } from "../core/value.ts"
import type { Decision, DecisionFault } from "./decision.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJson, repeatedName, tooDeep } from "./json/json-value.ts"

/** A member's value; {@link tooDeep} for one that nests too deep to be built. */
export type MemberValue = JsonValue | typeof tooDeep

/** A decision's members by name. */
export type Members = ReadonlyMap<string, MemberValue>

/** How and where a decision was read. */
export interface DecisionSource {
  /** False when the object had to be repaired. */
  readonly isExact: boolean
  readonly text: string
  /** The place in `text` that a fault points to. */
  readonly at: number
  /** A name that stood twice in the object. */
  readonly repeated?: string | undefined
}

/** The names under which arguments are accepted, the asked one first. */
const argumentNames = ["args", "arguments", "parameters", "input"] as const

/** The members a decision can have. All others are ignored. */
export const decisionMembers: ReadonlySet<string> = new Set(["action", "message", "note", "tool", "name", ...argumentNames])

/** The members that only a decision has. */
const own: ReadonlySet<string> = new Set(["action", "tool", "args", "message"])

/** A fault quotes that many characters of the output. */
export const excerptCharacters = 80

/** True for a member that only a decision has: an object with one is a decision even when its `action` is missing. */
export function isOwnMember(name: string): boolean {
  return own.has(name)
}

/** True when the members hold a tool or arguments, under any of their names. */
export function namesCall(members: ReadonlyMap<string, unknown>): boolean {
  return members.has("tool") || argumentNames.some((name) => members.has(name))
}

/** Reads the action in any case of letters and with white space around it. */
export function readAction(value: unknown): { readonly name: "tool" | "finish" | "unknown"; readonly isExact: boolean } {
  if (typeof value !== "string") return { name: "unknown", isExact: false }
  const name = value.trim().toLowerCase()
  return { name: name === "tool" || name === "finish" ? name : "unknown", isExact: name === value }
}

/**
 * Makes a decision of its members (T14, T21). It is `complete` when nothing had to be repaired or understood. Nothing of a
 * call is guessed: without a tool's name, or with arguments that are no object, it is unreadable.
 */
export function interpretDecision(members: Members, { isExact, text, at, repeated }: DecisionSource): Decision {
  const action = readAction(members.get("action"))
  const isExactSoFar = isExact && action.isExact
  let found: Decision | DecisionFault["kind"] = members.has("action") ? "unknown-action" : "no-action"
  if (action.name === "tool") found = readCall(members, isExactSoFar)
  else if (action.name === "finish") found = readFinish(members, isExactSoFar)
  if (typeof found === "string") return unreadable(found, text, at)
  return repeated === undefined || found.action === "unreadable" ? found : { ...found, repeatedName: repeated }
}

/** Output that cannot be read, with the characters around `at`. */
export function unreadable(kind: DecisionFault["kind"], text: string, at: number, isCut = kind === "unterminated"): Decision {
  const start = Math.max(0, Math.min(at - excerptCharacters / 2, text.length - excerptCharacters))
  const excerpt = text.slice(start, start + excerptCharacters).toWellFormed()
  return { action: "unreadable", fault: { kind, at, excerpt }, status: isCut ? "truncated" : "malformed" }
}

/** An object with an action, and how many objects and lists are around it, itself included. */
export interface ActionObject {
  readonly object: JsonObject
  readonly depth: number
}

/**
 * Finds the objects with an action that `value` is or holds. An outer object comes before those inside it. Objects inside a
 * decision, also one that lacks its action, are data of that decision and are not searched.
 */
export function findActionObjects(value: JsonValue | symbol | undefined, depth = 1): readonly ActionObject[] {
  if (typeof value !== "object" || value === null) return []
  if (isJsonObject(value)) {
    if (Object.hasOwn(value, "action")) return [{ object: value, depth }]
    if (Object.keys(value).some(isOwnMember)) return []
  }
  return Object.values(value).flatMap((inner) => findActionObjects(inner, depth + 1))
}

function readCall(members: Members, isExact: boolean): (Decision & { readonly action: "tool" }) | DecisionFault["kind"] {
  const toolName = members.has("tool") ? "tool" : "name"
  const tool = members.get(toolName)
  if (typeof tool !== "string" || tool.trim() === "") return "no-tool"
  const argsName = argumentNames.find((name) => members.has(name))
  const args = readArgs(argsName === undefined ? undefined : members.get(argsName))
  if (typeof args === "string") return args
  const isAsAsked = toolName === "tool" && tool === tool.trim() && (argsName ?? "args") === "args" && args.isExact
  const message = members.get("message")
  return defined({
    action: "tool",
    tool: tool.trim(),
    args: args.value,
    ignored: readText(message)?.text === "" ? undefined : excerptOf({ message }),
    repeatedName: repeatedName(args.value),
    status: isExact && isAsAsked ? "complete" : "repaired",
  })
}

/** Reads arguments. Absent, `null`, blank text and an empty list mean none; other text must be the whole JSON of an object. */
function readArgs(
  value: MemberValue | undefined,
): { readonly value: JsonObject; readonly isExact: boolean } | DecisionFault["kind"] {
  if (value === undefined) return { value: {}, isExact: true }
  if (value === tooDeep) return "too-deep"
  if (isJsonObject(value)) return { value, isExact: true }
  if (value === null || (Array.isArray(value) && value.length === 0)) return { value: {}, isExact: false }
  if (typeof value !== "string") return "args-not-object"
  if (value.trim() === "") return { value: {}, isExact: false }
  const parsed = parseJson(value)
  if (parsed === tooDeep) return "too-deep"
  return isJsonObject(parsed) ? { value: parsed, isExact: false } : "args-not-object"
}

function readFinish(members: Members, isExact: boolean): Decision | DecisionFault["kind"] {
  const message = readText(members.get("message"))
  if (message === undefined) return "message-not-text"
  const note = readText(members.get("note")) ?? { text: "", isExact: false }
  const found = namesTool(members) ? readCall(members, isExact) : undefined
  const call = typeof found === "object" ? found : undefined
  return defined({
    action: "finish",
    message: message.text || undefined,
    note: note.text || undefined,
    call: call && { tool: call.tool, args: call.args },
    ignored: typeof found === "string" ? callBeside(members) : undefined,
    repeatedName: call?.repeatedName,
    status: isExact && message.isExact && note.isExact ? "complete" : "repaired",
  })
}

/** True when a finish holds a call: a tool's name, or a `name` with arguments. A blank name is none. */
function namesTool(members: Members): boolean {
  if (!members.has("tool")) return members.has("name") && namesCall(members)
  const tool = members.get("tool")
  return tool !== null && (typeof tool !== "string" || tool.trim() !== "")
}

/** The beginning of the call that stands beside a message, as it is told when it is not run; `undefined` for none. */
export function callBeside(members: Members): string | undefined {
  if (!namesTool(members)) return undefined
  return excerptOf(Object.fromEntries([...members].filter(([name]) => !["action", "message", "note"].includes(name))))
}

/** True if the beginning of a call is that of the decision's own call, which a model may write down before it decides. */
export function isCallOf(call: string, decision: Decision): boolean {
  return decision.action === "tool" && call === excerptOf({ tool: decision.tool, args: decision.args })
}

/** The beginning of a decision, or of a part of one, as JSON. */
export function excerptOf(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value).slice(0, excerptCharacters).toWellFormed()
}

/** Reads text. Blank text and `null` mean none; a number or a flag is its text; an object or a list is no text. */
function readText(value: MemberValue | undefined): { readonly text: string; readonly isExact: boolean } | undefined {
  if (value === undefined || value === null) return { text: "", isExact: true }
  if (typeof value === "string") return { text: value.trim() === "" ? "" : value, isExact: true }
  return typeof value === "number" || typeof value === "boolean" ? { text: String(value), isExact: false } : undefined
}
