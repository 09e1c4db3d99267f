import { checkType } from "../core/check-options.ts"
import type { Speaker } from "../core/conversation.ts"
import { mapTexts } from "../prompt/encode/sanitise.ts"
import { terminalText } from "../prompt/encode/terminal-text.ts"
import type { Approval } from "../prompt/tools/tool.ts"
import texts from "./approval-words.json" with { type: "json" }
import { withBrokenLinks } from "./guard-links.ts"

/** A call that waits for a person, as every door shows it. */
export interface ApprovalQuestion extends Pick<Approval, "id" | "code" | "callId" | "tool" | "args" | "summary" | "untilMs"> {
  /** The only person who may answer, beside operators. */
  readonly mayAnswer: Speaker
  /** The question for buttons: it does not say what to type. */
  readonly question: string
  /** The question with what to type. */
  readonly text: string
  /** The answers. Whoever chooses one says its `say`, typed or as the data of a button (15 bytes at most). */
  readonly choices: readonly ApprovalChoice[]
}

export interface ApprovalChoice {
  readonly label: string
  readonly say: string
  readonly approved: boolean
}

/** Messages of chats are short. What is left out is counted, so that nobody takes a part for the whole. */
const maxSummary = 1_000

/**
 * Describes a call that waits for a person, in Chinese for a locale `zh…`, else in English. With `links`, no text or argument has an
 * address of another host that a client would load or follow (T48). Its words have no characters that are invisible or act on what
 * shows them; the arguments have those that the tool will get.
 */
export function approvalQuestion(approval: Approval, locale: string, links?: readonly string[]): ApprovalQuestion {
  checkType("the locale of approvalQuestion", locale, "string")
  const { id, code, callId, tool, args, summary, detail, untilMs, askedMs, from } = approval
  const guarded = <T>(value: T): T => mapTexts(value, (text) => withBrokenLinks(text, links))
  const isChinese = locale.toLowerCase().startsWith("zh")
  const words = texts[isChinese ? "zh" : "en"]
  const whole = terminalText(detail ? `${summary}\n${detail}` : summary)
  const count = whole.length - maxSummary
  const shown = count > 0 ? whole.slice(0, maxSummary).toWellFormed() + filled(words.more, { count }) : whole
  const time = timeIn(untilMs - askedMs, isChinese ? "zh-CN" : "en")
  const question = guarded(filled(words.question, { name: terminalText(from.name), summary: shown, time }))
  const choices = [
    { label: words.yes, say: `${words.yes} ${code}`, approved: true },
    { label: words.no, say: `${words.no} ${code}`, approved: false },
  ]
  const text = `${question}\n${filled(words.typed, { yes: choices[0]?.say, no: choices[1]?.say })}`
  const [ownArgs, ownSummary] = [guarded(args), guarded(terminalText(summary))]
  return { id, code, callId, tool, args: ownArgs, summary: ownSummary, untilMs, mayAnswer: from, question, text, choices }
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** A time in its largest unit that fits. */
function timeIn(ms: number, locale: string): string {
  const [unit, size] = units.find(([, size]) => ms >= size) ?? ["second", 1_000]
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.round(ms / size))
}

function filled(text: string, parts: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(parts[name]))
}

/** The answer of a person to a call that waits. */
export interface TypedAnswer {
  readonly approved: boolean
  /** The short name of the call, or its id. */
  readonly code: string
  /** The reason of a refusal: the words behind the code. */
  readonly reason: string
}

const typed =
  /^\s*(?:@\S+\s+)?(?:(yes|y|ok|好|好的|是|同意|允许|可以)|no|n|不|不行|否|拒绝)[\s,:，：]*((?:[BCDFGHJKLMNPQRSTVWXZ][2-9]){3})(?![a-z\d])[\s.。!！,，:：]*(.*)$/isu

/** Reads words such as `yes K4T7B2` or `不 K4T7B2 太贵了`. Undefined for other words, such as a yes without a code. */
export function readTypedAnswer(text: string): TypedAnswer | undefined {
  checkType("the text of readTypedAnswer", text, "string")
  const [, yes, code, reason = ""] = typed.exec(text) ?? []
  // Words behind a yes are more than an answer: they could take it back.
  if (code === undefined || (yes !== undefined && reason !== "")) return undefined
  return { approved: yes !== undefined, code: code.toUpperCase(), reason: reason.trim() }
}

/** The methods of a session that answer an approval. */
interface Answerable<T> {
  approve(code: string, options: { readonly by: string | undefined }): T
  deny(code: string, reason: string, options: { readonly by: string | undefined }): T
}

/** Answers a call that waits. `by` is undefined for an operator. */
export function answerTyped<T>(session: Answerable<T>, { approved, code, reason }: TypedAnswer, by: string | undefined): T {
  return approved ? session.approve(code, { by }) : session.deny(code, reason, { by })
}
