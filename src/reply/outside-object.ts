import { ObjectOpening } from "./broken-object.ts"
import { decisionMembers, excerptCharacters, isOwnMember } from "./interpret-decision.ts"
import { skipBlank, structureOf } from "./json/loose-syntax.ts"

// Comments are bounded, so that looking for a name costs no more than the text is long.
const gap = "(?:\\s|//[^\\n]{0,200}\\n|#[^\\n]{0,200}\\n|/\\*[^*]{0,200}\\*/)*"
const open = `\\\\?["'“‘＂]`
const close = `\\\\?["'”’＂]`
/** A pattern for a name with a quote on at least one side, and for the gap before its colon. */
const named = (names: string) => `(?:${open}(?:${names})(?:${close})?|\\b(?:${names})${close})${gap}`
/** A pattern for a name in quotes whose colon is missing before a quoted value. */
const beforeValue = (names: string) => `${open}(?:${names})${close}${gap}${open}`

const lead = "[\\s[]*(?:(?:```|~~~)[^\\n]*\\n\\s*)?"
const members = "action|tool|message|args"
const member = new RegExp(`${named(members)}[:：]|\\b(?:${members})\\s*[:：]`)
const firstMember = new RegExp(`^${lead}(?=${named(members)}[:：]|${beforeValue(members)}|action\\s*[:：])`)
const action = new RegExp(
  `${named("action")}[:：]|${beforeValue("action")}|\\baction\\s*[:：]\\s*(?:${open})?(?:tool|finish)\\b`,
  "i",
)

/** An object that begins with a tool's name and goes on with arguments. */
const bareCall = new RegExp(
  `[{｛]${gap}${named("tool|name")}[:：]${gap}${open}[^"]{1,200}${close}${gap}[,，]${gap}${named("args|arguments|parameters|input")}[:：]`,
)

/** An object that goes on after its closing brace shows it within that many characters. */
export const maxAfterCharacters = 200

/** True for output that begins with the first member of a decision whose opening brace is missing. */
export function beginsWithMember(text: string): boolean {
  return firstMember.test(text)
}

/** True for text that names an action as a decision does. Such text is no answer. */
export function namesAction(text: string): boolean {
  return action.test(text)
}

/** The beginning of a further decision, or of a call without an action, in the text beside one; `undefined` for none. */
export function furtherDecision(rest: string): string | undefined {
  if (!namesAction(rest) && !bareCall.test(rest)) return undefined
  const from = Math.max(0, rest.indexOf("{"))
  return rest.slice(from, from + excerptCharacters).toWellFormed()
}

/** The place of the first member of a decision whose opening brace is missing; -1 for none. */
export function firstMemberAt(text: string): number {
  return firstMember.exec(text)?.[0].length ?? text.search(member)
}

/** The name of a member that follows a comma after `at`, the end of an object; `undefined` for none. */
export function memberAfter(text: string, at: number): string | undefined {
  const after = text.slice(at, at + maxAfterCharacters)
  const comma = skipBlank(after, 0)
  if (structureOf(after.charAt(comma)) !== ",") return undefined
  const opening = new ObjectOpening()
  for (const character of after.slice(comma)) {
    const found = opening.feed(character)
    if (found !== undefined) return found === "object" ? opening.name : undefined
  }
  return decisionMembers.has(opening.name.trim()) ? opening.name : undefined
}

const lostMember = new RegExp(`^${gap}${named([...decisionMembers].join("|"))}[:：]`)

/** True when a decision's member follows directly after `at`, the end of an object: its closing brace may stand for the comma, or a quote. */
export function goesOnWithMember(text: string, at: number): boolean {
  return lostMember.test(text.slice(at, at + maxAfterCharacters))
}

/** True when a member that only a decision has follows an object without an action that ended at `at`. */
export function isTorn(text: string, at: number): boolean {
  return isOwnMember(memberAfter(text, at)?.trim() ?? "")
}

/** The number of closing braces directly after `at`, minus the number of opening braces directly before `from`. */
export function braceBalance(text: string, from: number, at: number): number {
  let balance = 0
  for (let before = text.slice(0, from).trimEnd(); structureOf(before.slice(-1)) === "{"; balance--) {
    before = before.slice(0, -1).trimEnd()
  }
  let closing = skipCommas(text, at)
  for (; structureOf(text.charAt(closing)) === "}"; balance++) closing = skipCommas(text, closing + 1)
  return balance
}

/** True when the text after `from` has a closing brace without an opening one. */
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
