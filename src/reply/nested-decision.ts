import type { MemberValue } from "./interpret-decision.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json/json-value.ts"

const ownMembers = ["tool", "args", "message"]

/** True for a member that only a decision has, so that one without its action is told by it. */
export function isOwnMember(name: string): boolean {
  return name === "action" || ownMembers.includes(name)
}

/** An object with an action, and how many objects and lists are around it, itself included. */
export interface ActionObject {
  readonly object: JsonObject
  readonly depth: number
}

/**
 * The object with an action that `value` is or holds, an outer one before those in it. What a decision without its
 * action holds is its own, whatever it looks like.
 */
export function findActionObject(value: JsonValue | symbol | undefined, depth = 1): ActionObject | undefined {
  if (typeof value !== "object" || value === null) return undefined
  if (isJsonObject(value)) {
    if (Object.hasOwn(value, "action")) return { object: value, depth }
    if (ownMembers.some((name) => Object.hasOwn(value, name))) return undefined
  }
  for (const inner of Object.values(value)) {
    const found = findActionObject(inner, depth + 1)
    if (found) return found
  }
  return undefined
}

/** An object's members by name. */
export function membersOf(object: JsonObject): ReadonlyMap<string, MemberValue> {
  return new Map(Object.entries(object))
}
