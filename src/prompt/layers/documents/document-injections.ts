import { countCodePoints, offsetAfter } from "../../../core/graphemes.ts"
import { type FitRule, priority, type Trust, type TrustedText } from "../../../core/value.ts"
import { cutText, markCutBeforehand } from "../../encode/marked-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import { endsOf, type TextEnds } from "../../encode/text-ends.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { Template } from "../../template/ast.ts"
import { renderTemplate } from "../../template/render-template.ts"
import {
  type DocumentName,
  type DocumentSettings,
  type DocumentState,
  type Documents,
  documentFiles,
  documentNames,
} from "./document.ts"

interface DocumentBody {
  readonly text: TrustedText
  /** True if nothing was cut. */
  readonly whole: boolean
  /** The code points that are left, without the marker, and those of the whole document. */
  readonly kept: number
  readonly total: number
  /** The number of invisible and control characters that were removed before cutting. */
  readonly removed: number
}

interface BodyOptions {
  readonly maxCharacters: number
  /** The limit, as decisions name it. Default: that of characters. */
  readonly limit?: string
  readonly trust: TrustedText["trust"]
  /** The document's file, as the marker names it. */
  readonly file: string
  /** `document-truncated.md`, the text of the marker. It gets `read` (true if the model can read the rest), `file`, `kept`, `tail` and `total`. */
  readonly marker: Template
  /** True if the model has the tool `read`. */
  readonly canRead: boolean
}

/** Stands for the marker if not even the shortest one fits. */
const ellipsis = "…"

/**
 * A document for a prompt: whole, or its first 70 % and last 20 % around a marker, together at most `maxCharacters` code points (D4).
 * If the marker has no room, a shorter one is used, at last one character. A limit of 0 leaves nothing.
 */
export function documentBody(text: string, options: BodyOptions): DocumentBody {
  const { maxCharacters, trust, file } = options
  const source = { file, line: 1 }
  if (endsOf(text, maxCharacters) === undefined) {
    const total = countCodePoints(text)
    return { text: { text, trust, source }, whole: true, kept: total, total, removed: 0 }
  }
  // Cleaned before cutting, because characters that are removed later would make the marker's numbers wrong.
  const { text: clean, removed } = sanitise(text)
  const whole: TrustedText = { text: clean, trust, source }
  const cut = endsOf(clean, maxCharacters)
  if (cut === undefined) {
    const total = countCodePoints(clean)
    return { text: whole, whole: true, kept: total, total, removed }
  }
  const body = around(cut, whole, options)
  markCutBeforehand(body, { text: clean, reason: `more than its limit of ${options.limit ?? `${maxCharacters} characters`}` })
  return { text: body, whole: false, kept: cut.keptHead + cut.keptTail, total: cut.total, removed }
}

/** The longest body of a document that has at most `maxTokens`, of those that {@link documentBody} makes. */
export function bodyWithin(
  text: string,
  {
    maxTokens,
    countTokens,
    ...options
  }: Omit<BodyOptions, "maxCharacters" | "limit"> & {
    readonly maxTokens: number
    readonly countTokens: (text: string) => number
  },
): DocumentBody {
  const limit = `${maxTokens} tokens`
  const bodyOf = (maxCharacters: number) => documentBody(text, { ...options, maxCharacters, limit })
  const [total, tokens] = [countCodePoints(text), countTokens(text)]
  if (tokens <= maxTokens) return bodyOf(total)
  let best = bodyOf(0)
  for (let [fits, fails] = [0, total]; fails - fits > 1; ) {
    const middle = (fits + fails) >> 1
    const body = bodyOf(middle)
    if (countTokens(body.text.text) <= maxTokens) {
      best = body
      fits = middle
    } else fails = middle
  }
  return best
}

function around(cut: TextEnds, whole: TrustedText, options: BodyOptions): TrustedText {
  const { head, tail, keptHead, keptTail, total } = cut
  const room = options.maxCharacters - keptHead - keptTail
  const blankLines = (head === "" ? 0 : 2) + (tail === "" ? 0 : 2)
  const fitting = markers(cut, options).find((words) => countCodePoints(words) + blankLines <= room)
  if (fitting === undefined) return { ...whole, text: head + (room > 0 ? ellipsis : "") + tail }
  const source = options.marker.nodes[0]?.source
  const linesBeforeTail = whole.text.slice(0, whole.text.length - tail.length).split("\n").length - 1
  return cutText(whole, {
    head,
    tail,
    notice: { text: fitting, source },
    linesBeforeTail,
    totalCharacters: total,
  })
}

/** The texts that the marker can have, longest first. */
function markers({ keptHead, keptTail, total }: TextEnds, { marker, canRead, file }: BodyOptions): readonly string[] {
  const counts = { kept: keptHead, tail: keptTail, total }
  const say = (values: object): string =>
    renderTemplate(marker, { read: false, file, kept: undefined, tail: 0, total: 0, ...values })
  return [...(canRead ? [say({ read: true, ...counts })] : []), say(counts), say({})]
}

export interface DocumentInjectionOptions {
  readonly settings: DocumentSettings
  /** `document-truncated.md` of the prompts. */
  readonly marker: Template
  /** True if the model has the tool `read`. */
  readonly canRead: boolean
  /** Counts tokens for the limit, and to reserve some for each document if the budget is short. */
  readonly countTokens: (text: string) => number
}

/** The injections of a turn's documents, and what was cut from them. */
interface DocumentInjections {
  readonly injections: readonly InjectionInput[]
  /** Documents that were not cut, empty ones included. */
  readonly whole: readonly DocumentName[]
  /** Sentences about what was cut and removed, for warnings. */
  readonly problems: readonly string[]
}

/** The slot of each document. */
export const documentKeys: Readonly<Record<DocumentName, string>> = {
  soul: "soul",
  user: "user_document",
  memory: "memory_document",
}

/**
 * Properties of each document. The model may write them all, so none has the trust `author`. SOUL.md is cut after everything else of a
 * turn and before the tools (70): without the tools, the model could not read the rest of a cut document.
 */
const kinds: Readonly<Record<DocumentName, { readonly trust: Trust; readonly priority: number; readonly rank: number }>> = {
  soul: { trust: "agent", priority: priority.characterProfile, rank: 68 },
  user: { trust: "memory", priority: priority.characterRelationship, rank: 55 },
  memory: { trust: "memory", priority: priority.characterMemories, rank: 50 },
}

/**
 * The living documents as injections of a turn: their texts for the slots `soul`, `user_document` and `memory_document`, and flags for
 * the dialect's words about them (D3, D7). `soul_shown`, `user_shown` and `memory_shown` are set unless the document is unreadable or
 * was not read; `soul_blank`, `user_blank` and `memory_blank` for an empty file; `user_rich` and `memory_near_limit` by size (D8);
 * `documents_above` or `documents_below` if USER.md and MEMORY.md stand in the system or the user message.
 */
export function documentInjections(documents: Documents, options: DocumentInjectionOptions): DocumentInjections {
  const { settings } = options
  const injections: InjectionInput[] = []
  const whole: DocumentName[] = []
  const problems: string[] = []
  for (const name of documentNames) {
    const document = documents[name]
    if (!isShown(document)) continue
    injections.push(flag(`${name}_shown`))
    if (document.state === "missing") continue
    const text = plainText(document.text)
    if (text === "") {
      injections.push(flag(`${name}_blank`))
      whole.push(name)
      continue
    }
    const body = bodyOf(name, text, options)
    injections.push(injectionOf(name, body, { text, options }))
    if (body.whole) whole.push(name)
    else problems.push(cutProblem(name, body, settings))
    if (body.removed > 0)
      problems.push(`Invisible or control characters were left out of ${documentFiles[name]}: ${body.removed}.`)
    injections.push(...stateFlags(name, text, options))
  }
  const below = settings.placement === "user"
  if (isShown(documents.user) || isShown(documents.memory)) injections.push(flag(below ? "documents_below" : "documents_above"))
  return { injections, whole, problems }
}

/** False for a document that cannot be read or was not read. */
function isShown(document: DocumentState | undefined): document is Exclude<DocumentState, { state: "unreadable" }> {
  return document !== undefined && document.state !== "unreadable"
}

function bodyOf(
  name: DocumentName,
  text: string,
  { settings: { maxCharacters, maxTokens }, marker, canRead, countTokens }: DocumentInjectionOptions,
): DocumentBody {
  const options = { trust: kinds[name].trust, file: documentFiles[name], marker, canRead }
  if (maxTokens === undefined) return documentBody(text, { ...options, maxCharacters })
  return bodyWithin(text, { ...options, maxTokens, countTokens })
}

function cutProblem(name: DocumentName, { kept, total }: DocumentBody, { maxCharacters, maxTokens }: DocumentSettings): string {
  const limit = maxTokens === undefined ? `${maxCharacters} (max_characters` : `${maxTokens} tokens (max_tokens`
  return `${documentFiles[name]} has ${total} characters. Its limit of ${limit} in [documents]) leaves ${kept} of them. A short budget may cut more, as the trace's decisions say.`
}

function injectionOf(
  name: DocumentName,
  body: DocumentBody,
  { text, options }: { readonly text: string; readonly options: DocumentInjectionOptions },
): InjectionInput {
  const { trust, priority: order, rank } = kinds[name]
  const fit: FitRule = { rank, shrink: "headTail", minTokens: reservedTokens(text, options) }
  return { key: documentKeys[name], content: body.text, trust, priority: order, scope: "turn", fit }
}

/** The tokens that a document keeps if the budget is short: `minShare` of the limit, if it has as many (D5). */
function reservedTokens(text: string, { settings, countTokens }: DocumentInjectionOptions): number {
  const { maxCharacters, maxTokens, minShare } = settings
  if (maxTokens !== undefined) return Math.max(1, Math.min(countTokens(text), Math.ceil(maxTokens * minShare)))
  return Math.max(1, countTokens(text.slice(0, offsetAfter(text, Math.ceil(maxCharacters * minShare)))))
}

function stateFlags(
  name: DocumentName,
  text: string,
  { settings, countTokens }: DocumentInjectionOptions,
): readonly InjectionInput[] {
  const { maxCharacters, maxTokens, nearlyEmptyCharacters, nearLimitShare } = settings
  if (name === "user" && !isNearlyEmpty(text, nearlyEmptyCharacters)) return [flag("user_rich")]
  if (name !== "memory") return []
  const share = maxTokens === undefined ? countCodePoints(text) / maxCharacters : countTokens(text) / maxTokens
  return share > nearLimitShare ? [flag("memory_near_limit")] : []
}

/** True for a document that the prompt calls empty: it has no visible character outside HTML comments (D3). */
export function isBlank(text: string): boolean {
  return plainText(text) === ""
}

/** The text without a byte order mark and blank ends; empty if it has no visible character outside HTML comments. */
function plainText(text: string): string {
  const plain = text.trim()
  const told = plain.startsWith("<!--") ? withoutComments(plain) : plain
  return isSeen(told.slice(0, 500)) || isSeen(told) ? plain : ""
}

function isSeen(text: string): boolean {
  return sanitise(text).text.trim() !== ""
}

function flag(key: string): InjectionInput {
  return { key, content: true, trust: "author", scope: "turn" }
}

/** True if fewer than `characters` are left without HTML comments, `# - * _` and white space (D8). */
export function isNearlyEmpty(text: string, characters: number): boolean {
  return countCodePoints(withoutComments(text).replace(/[\s#*_-]+/g, "")) < characters
}

/** Removes HTML comments; one that is never closed is text. A pattern would search the rest of the text for the end of each opening. */
function withoutComments(text: string): string {
  let kept = ""
  let at = 0
  for (let open = text.indexOf("<!--"); open >= 0; open = text.indexOf("<!--", at)) {
    const close = text.indexOf("-->", open + 4)
    if (close < 0) break
    kept += text.slice(at, open)
    at = close + 3
  }
  return kept + text.slice(at)
}
