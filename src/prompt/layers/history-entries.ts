import type { Addressees, Attachment, HistoryMessage, KeptPrestart, KeptRun, Speaker } from "../../core/conversation.ts"
import { dateFormat, emptyList, type GrownList, grow, type Memo, memoKind } from "../../core/memo.ts"
import type { SlotEntry, SlotValue, Trust, TrustedText } from "../../core/value.ts"
import { formatFileReference } from "../encode/file-reference.ts"
import { encodeInline, encodeJsonLine } from "../encode/inline.ts"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitise, sanitiseJson } from "../encode/sanitise.ts"
import { printArguments } from "../tools/call-arguments.ts"
import type { NativeNames } from "../tools/native-names.ts"
import type { TurnState } from "./turn-state.ts"

export interface HistoryLook {
  readonly agentName: string
  readonly group: boolean
  /** The IANA time zone of the times that lines carry; empty for the host's zone, undefined if lines carry no times. */
  readonly zone: string | undefined
  /** The attachments that the model can take. */
  readonly sight?: TurnState["sight"]
  /** A user line that stands before each message of the agent in a turn in which nobody spoke (R27), so that roles alternate. Undefined if the history is printed as text. */
  readonly unprompted?: string | undefined
  /** The dialect's sentence for an error that a tool threw. A native result is a message of its own, in which nothing else says so. */
  readonly threw?: ((reason: string) => string) | undefined
  /** The names of tools for providers, if kept tool runs are messages of their own: native calls and their results. Else they stand above the words. */
  readonly nativeCalls?: NativeNames | undefined
}

/** The entry of a message, with the text and settings from which it was made. `entry` is undefined for a blank message. */
interface KnownEntry {
  readonly look: HistoryLook
  readonly text: string
  readonly speaker: string
  readonly entry: SlotEntry | undefined
  /** The entries before it and behind it: a line before the agent's message, and native calls. */
  readonly before: readonly SlotEntry[]
  readonly behind: readonly SlotEntry[]
}

const knownEntries = memoKind<HistoryMessage, KnownEntry>()

/** The last history that began with a message, with the entries of its messages. In the next turn, only its new messages need entries. */
const knownHistories = memoKind<HistoryMessage, GrownList<HistoryMessage, KnownEntry> & { readonly look: HistoryLook }>()

function isSameLook(a: HistoryLook, b: HistoryLook): boolean {
  return (
    a.agentName === b.agentName &&
    a.group === b.group &&
    a.zone === b.zone &&
    a.unprompted === b.unprompted &&
    a.threw === b.threw &&
    a.sight?.key === b.sight?.key &&
    a.nativeCalls?.key === b.nativeCalls?.key
  )
}

/**
 * The entries of a history, without blank messages unless prestart results are kept with them (T30). A message has the same entry
 * object in all turns of a memo, so that it is cleaned, printed and counted once.
 */
export function historyEntries(history: readonly HistoryMessage[], look: HistoryLook, memo: Memo): SlotEntry[] {
  const [first] = history
  if (!first) return []
  const before = memo.get(knownHistories, first)
  const known = before && isSameLook(before.look, look) ? before : { look, ...emptyList<HistoryMessage, KnownEntry>() }
  memo.set(knownHistories, first, known)
  const entries: SlotEntry[] = []
  for (const { before, entry, behind } of grow(known, history, (message) => knownEntry(message, known.look, memo)))
    if (entry) entries.push(...before, entry, ...behind)
  return entries
}

function knownEntry(message: HistoryMessage, look: HistoryLook, memo: Memo): KnownEntry {
  const { text, speaker, unprompted, attachments = [], runs = [] } = message
  const known = memo.get(knownEntries, message)
  const isStill = known !== undefined && known.text === text && known.speaker === speaker.name
  if (isStill && (known.look === look || isSameLook(known.look, look))) return known
  const isShown =
    keptPrestart(message).length > 0 || attachments.length > 0 || visible.test(text) || sanitise(text).text.trim() !== ""
  const entry = isShown ? historyEntry(message, look) : undefined
  const before = unprompted === true && look.unprompted !== undefined ? [unpromptedEntry(look.unprompted)] : []
  const behind: SlotEntry[] = []
  if (look.nativeCalls && runs.length > 0)
    (message.role === "assistant" ? before : behind).push(...callEntries(message, runs, look))
  const made = { look, text, speaker: speaker.name, entry, before, behind }
  return memo.set(knownEntries, message, made)
}

/** The dialect's line before a message of a turn in which nobody spoke. */
function unpromptedEntry(line: string): SlotEntry {
  return { role: "user", own: true, group: false, text: encodedText(line, "author") }
}

/** A visible character that sanitising keeps. It makes the slow check unnecessary for most messages. */
const visible = /[!-~\u4e00-\u9fff]/

/** The entry of the user's message, with its time and attachments if there are any (R8, R11). */
export function questionEntry(turn: TurnState, { group, zone, sight }: Omit<HistoryLook, "agentName">): SlotEntry {
  return {
    speaker: { text: turn.question.speaker.name, trust: "user" },
    text: { text: turn.question.text, trust: "user" },
    group,
    ...detailsOf({ ...turn, ...turn.question }, { zone, sight }),
  }
}

/** The entry of an earlier message. `own` marks messages of the agent, which are printed without a name. */
function historyEntry(message: HistoryMessage, look: HistoryLook): SlotEntry {
  const { agentName, group, unprompted, nativeCalls } = look
  const own = message.role === "assistant"
  const { runs } = message
  return {
    role: message.role,
    own,
    group: group && !own,
    speaker: own ? { text: agentName, trust: "author" } : { text: message.speaker.name, trust: "user" },
    text: { text: message.text, trust: own ? "agent" : "user" },
    memories: (message.recalled ?? []).map((recalled) => ({ text: { text: recalled, trust: "memory" } })),
    prestart: keptPrestart(message).map(prestartEntry),
    ...(runs && !nativeCalls ? { runs: runs.map((run) => keptRunEntry(run, look)) } : {}),
    answers: message.unprompted === true && unprompted !== undefined,
    ...detailsOf(message, look),
  }
}

/** The time of a message, if lines carry times, and if there are any, the people that it is directed to and its attachments. */
function detailsOf(
  { atMs, attachments = [], replyTo, mentions = [] }: Details,
  { zone, sight }: Pick<HistoryLook, "zone" | "sight">,
): SlotEntry {
  const made: Record<string, SlotValue> = {}
  if (replyTo !== undefined || mentions.length > 0) made.to = addresseesText(replyTo, mentions)
  if (atMs !== undefined && zone !== undefined)
    made.time = { text: messageTime(atMs, zone === "" ? undefined : zone), trust: "author" }
  if (attachments.length > 0) made.files = attachments.map((attachment) => attachmentEntry(attachment, sight))
  return made
}

type Details = Addressees & Pick<TurnState, "atMs" | "attachments">

/** The names of those that a message is directed to, each once. Each is cleaned and encoded here, so that none can pass for two. */
function addresseesText(replyTo: HistoryMessage["replyTo"], mentions: readonly Speaker[]): TrustedText {
  const names = new Map([...(replyTo ? [replyTo.speaker] : []), ...mentions].map(({ id, name }) => [id, sanitise(name)]))
  const shown = [...names.values()].map(({ text }) => (text.includes("&") ? encodeJsonLine(text) : encodeInline(text)))
  const removed = [...names.values()].reduce((sum, name) => sum + name.removed, 0)
  const kinds = new Set([...names.values()].flatMap((name) => name.kinds))
  return encodedText(shown.join(" & "), "user", { removed, kinds: [...kinds] })
}

/**
 * The name of an attachment, with the attachment behind it if the model takes it. Else it says what it is: `image`, `audio` or `other`. A
 * file of the workspace has its name alone, because tools can read it.
 */
function attachmentEntry(attachment: Attachment, sight: HistoryLook["sight"]): SlotEntry {
  const { name, mediaType = "", sizeBytes, blob, url, caption } = attachment
  // The name is cleaned here, because no encoder runs over the reference later.
  const { text, ...removed } = sanitise(name)
  const tokens = sight?.tokensOf(attachment)
  const parts = tokens === undefined ? undefined : [{ attachment, tokens }]
  const reference = encodedText(formatFileReference({ path: text }), "user", { ...removed, parts })
  if (parts || (blob === undefined && url === undefined)) return { reference }
  const [family = ""] = mediaType.split("/")
  return {
    reference,
    [family === "image" || family === "audio" ? family : "other"]: true,
    media_type: { text: mediaType, trust: "user" },
    ...(sizeBytes === undefined ? {} : { size: { text: shownSize(sizeBytes), trust: "author" } }),
    ...(caption === undefined ? {} : { caption: { text: caption, trust: "tool" } }),
    gone: sight?.isGone(attachment) === true,
  }
}

export function shownSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/**
 * The minute of a moment in an IANA time zone, or in the host's zone: `20260216 3:16`, the form that events have (R11, R20). An unknown
 * zone throws the platform's RangeError.
 */
export function messageTime(atMs: number, timeZone?: string): string {
  const [year = "", month, day, hour, minute] = timeZone ? zonedFields(atMs, timeZone) : hostFields(new Date(atMs))
  return `${year.padStart(4, "0")}${month}${day} ${Number(hour)}:${minute}`
}

function zonedFields(atMs: number, timeZone: string): readonly string[] {
  // Swedish writes dates and times as ISO 8601 does.
  return dateFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone }).format(atMs).split(/[-: ]/)
}

/** The fields in the host's zone, for which the first format of a process would take as long as all else that it prints. */
function hostFields(at: Date): readonly string[] {
  const fields = [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()]
  return fields.map((field) => String(field).padStart(2, "0"))
}

/** The results that prompts of later turns show (T26). */
function keptPrestart({ prestart = [] }: HistoryMessage): readonly KeptPrestart[] {
  return prestart.filter(({ once }) => once !== true)
}

/** A result from an earlier turn has its age in minutes. */
export function prestartEntry({ tool, args, result, ageMs }: KeptPrestart): SlotEntry {
  const trust = "tool" as const
  const entry = { tool: { text: tool, trust }, arguments: argumentsText(args, trust), result: { text: result, trust } }
  return ageMs === undefined ? entry : { ...entry, age: { text: String(Math.ceil(ageMs / 60_000)), trust: "author" } }
}

/** A run's result, with its attachments behind it if the model takes them. */
function resultOf({ result, failed, sentence, attachments = [] }: KeptRun, { sight }: HistoryLook): TrustedText {
  const text: TrustedText = { text: result, trust: sentence === true && failed !== true ? "author" : "tool" }
  const parts = attachments.map((attachment) => ({ attachment, tokens: sight?.tokensOf(attachment) ?? -1 }))
  const seen = parts.filter(({ tokens }) => tokens >= 0)
  return seen.length > 0 ? { ...text, parts: seen } : text
}

function keptRunEntry(run: KeptRun, look: HistoryLook): SlotEntry {
  return callEntry(run, resultOf(run, look), { trust: "tool", failed: run.failed === true, isSentence: run.sentence === true })
}

/** The entry of a call and its result. Where a sentence of the dialect stands for the result, it is neither quoted nor escaped. */
export function callEntry(
  { tool, args }: Pick<KeptRun, "tool" | "args">,
  result: TrustedText,
  { trust, failed, isSentence }: { readonly trust: Trust; readonly failed: boolean; readonly isSentence: boolean },
): SlotEntry {
  const entry = { tool: { text: tool, trust }, arguments: argumentsText(args, trust), failed }
  const whole = { ...entry, [hasLineBreak(result.text) ? "block" : "result"]: result }
  return isSentence ? { ...whole, sentence: encodedText(result.text, "author") } : whole
}

/**
 * Kept runs as the model's native calls, by step, each with its results behind it. They are cut together, because a result
 * `answers` its call. Without a user's message before it, a call goes with the agent's message.
 */
function callEntries({ unprompted }: HistoryMessage, runs: readonly KeptRun[], look: HistoryLook): SlotEntry[] {
  const entries: SlotEntry[] = []
  for (const group of Map.groupBy(runs, ({ step }) => step).values()) {
    const calls = group.map(({ id, tool, args, providerData }) => ({
      id,
      name: look.nativeCalls?.of(tool) ?? tool,
      args: JSON.stringify(args),
      providerData,
    }))
    entries.push({
      role: "assistant",
      own: true,
      answers: unprompted === true,
      toolCalls: { text: JSON.stringify(calls), trust: "agent" },
    })
    for (const run of group) {
      const isError = run.failed === true && run.sentence !== true
      const told = isError && look.threw ? { ...run, result: look.threw(run.result) } : run
      const toolCallId = { text: run.id, trust: "agent" } as const
      entries.push({ role: "tool", own: true, answers: true, toolCallId, output: resultOf(told, look) })
    }
  }
  return entries
}

/** A run's arguments as text. Each is cleaned by itself, because each is encoded by itself. */
function argumentsText(args: Readonly<Record<string, unknown>>, trust: TrustedText["trust"]): TrustedText {
  const { value, ...removed } = sanitiseJson(args)
  return encodedText(printArguments(value), trust, removed)
}
