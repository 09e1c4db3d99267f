import { isDecisionMember } from "./interpret-decision.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json/json-value.ts"
import { skipBlank, structureOf } from "./json/loose-syntax.ts"
import { isOwnMember } from "./nested-decision.ts"
import { ObjectOpening } from "./object-opening.ts"

/** Whether an object goes on after its brace shows within that many characters. */
export const maxAfterCharacters = 200

/** The name of the member that follows a comma after `at`, where an object seemed to have ended; `undefined` for none. */
export function memberAfter(text: string, at: number): string | undefined {
  const after = text.slice(at, at + maxAfterCharacters)
  const comma = skipBlank(after, 0)
  if (structureOf(after.charAt(comma)) !== ",") return undefined
  const opening = new ObjectOpening()
  for (const character of after.slice(comma)) {
    const found = opening.feed(character)
    if (found !== undefined) return found === "object" ? opening.name : undefined
  }
  return isDecisionMember(opening.name.trim()) ? opening.name : undefined
}

/** True where a decision's own member follows what seemed to be the end of an object without an action. */
export function isTorn(text: string, at: number): boolean {
  return isOwnMember(memberAfter(text, at)?.trim() ?? "")
}

/** How many more braces close directly after `at` than open directly before `from`. */
export function braceBalance(text: string, from: number, at: number): number {
  let balance = 0
  for (let before = text.slice(0, from).trimEnd(); structureOf(before.slice(-1)) === "{"; balance--) {
    before = before.slice(0, -1).trimEnd()
  }
  let closing = skipCommas(text, at)
  for (; structureOf(text.charAt(closing)) === "}"; balance++) closing = skipCommas(text, closing + 1)
  return balance
}

/**
 * True for arguments that one brace too many could have cut: with an object among an object's members, and more of these
 * after it.
 */
export function mayBeCut(args: Readonly<Record<string, unknown>>): boolean {
  const members = Object.values(args) as JsonValue[]
  return members.some((value, index) => (isJsonObject(value) && index < members.length - 1) || holdsCut(value))
}

function holdsCut(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsCut)
  return isJsonObject(value) && mayBeCut(value satisfies JsonObject)
}

/**
 * True for arguments that may end in an object too long, were a brace missing: the last of an object's members is an
 * object with several.
 */
export function mayBeStretched(args: Readonly<Record<string, unknown>>): boolean {
  let isInObject = false
  for (let value: unknown = args; typeof value === "object" && value !== null; value = Object.values(value).at(-1)) {
    const isObject = !Array.isArray(value)
    if (isInObject && isObject && Object.keys(value).length > 1) return true
    isInObject = isObject
  }
  return false
}

/** True where a brace closes that none after `from` opened. */
export function hasUnopenedBrace(text: string, from: number): boolean {
  let depth = 0
  for (let index = from; index < text.length && depth >= 0; index++) {
    const character = structureOf(text.charAt(index))
    if (character === "{") depth++
    else if (character === "}") depth--
  }
  return depth < 0
}

function skipCommas(text: string, from: number): number {
  let index = skipBlank(text, from)
  while (structureOf(text.charAt(index)) === ",") index = skipBlank(text, index + 1)
  return index
}
