import type { Decision } from "./decision.ts"
import { decodeString } from "./json/json-string.ts"
import { type Rung, readRepaired } from "./read-candidate.ts"

// Comments are bounded, so that looking for a name costs no more than the text is long.
const gap = "(?:\\s|//[^\\n]{0,200}\\n|#[^\\n]{0,200}\\n|/\\*[^*]{0,200}\\*/)*"
const open = `\\\\?["'“‘＂]`
const close = `\\\\?["'”’＂]`
/** A name with a quote at least on one side, and what may stand before its colon. */
const named = (names: string) => `(?:${open}(?:${names})(?:${close})?|\\b(?:${names})${close})${gap}`
/** A name in quotes, before a value without the colon between them. */
const beforeValue = (names: string) => `${open}(?:${names})${close}${gap}${open}`

const lead = "[\\s[]*(?:(?:```|~~~)[^\\n]*\\n\\s*)?"
const members = "action|tool|message|args"
const member = new RegExp(`${named(members)}[:：]|\\b(?:${members})\\s*[:：]`)
const firstMember = new RegExp(`^${lead}(?=${named(members)}[:：]|${beforeValue(members)}|action\\s*[:：])`)
const action = new RegExp(
  `${named("action")}[:：]|${beforeValue("action")}|\\baction\\s*[:：]\\s*(?:${open})?(?:tool|finish)\\b`,
  "i",
)

/** True for output that begins with a decision's first member: its opening brace is missing. */
export function beginsWithMember(text: string): boolean {
  return firstMember.test(text)
}

/** True for text that names an action as a decision does: it is no answer. */
export function namesAction(text: string): boolean {
  return action.test(text)
}

/** The decision whose opening brace is missing, if it can be read: its first member stands before the place `until`. */
export function readBraceless(rung: Rung, until = Number.POSITIVE_INFINITY): Decision | undefined {
  const text = wholeString(rung) ?? rung.text
  const from = firstMember.exec(text)?.[0].length ?? text.search(member)
  const reading = from < 0 || from > until ? undefined : rung.repair(text, { from, lacksBrace: true })
  const decision = reading && readRepaired(reading, from, { ...rung, text }).decision
  const isWhole = decision?.action === "tool" || (decision?.action === "finish" && decision.message !== undefined)
  return isWhole ? decision : undefined
}

/** What the text says as one JSON string, if it is one. */
function wholeString({ text, count }: Rung): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('"\\')) return undefined
  const string = decodeString(trimmed, 1, count)
  return string?.end === trimmed.length ? string.value : undefined
}
