import { checkMemberTypes } from "../../core/check-options.ts"
import { offsetAfter } from "../../core/graphemes.ts"
import type { Source } from "../../core/source.ts"
import type { Assembly, FitDecision, Span } from "../../core/span.ts"
import { type Injection, isText, type SlotValue, stabilityOf, type Trust, type TrustedText } from "../../core/value.ts"
import { encodeText } from "../encode/encode.ts"
import { fold } from "../encode/fold.ts"
import { splitLines } from "../encode/line-breaks.ts"
import { lineShapes, type Markers } from "../encode/lines.ts"
import { isEncodedText } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"

/** The heading above an item's content: `## key`, none, or the result of the function. An empty string is no heading. */
type Heading = "key" | "none" | ((injection: Injection) => string)

/** Options for rendering a stack. The default `heading` is `"key"`. */
export interface RenderOptions {
  readonly heading?: Heading
}

/** A run of characters of one origin in a rendered stack, not counted. Joined, the spans are the text (S12). */
export type RenderedSpan = Omit<Span, "message" | "tokens">

/**
 * Renders the base, then every enabled item in the given order, with blank lines between them (S5). A blank base and items that
 * print nothing leave no trace. The base is the span with key `base`.
 */
export function renderSpans(
  base: string,
  items: readonly Injection[],
  { heading = "key" }: RenderOptions = {},
): readonly RenderedSpan[] {
  const enabled = items.filter((item) => item.enabled)
  const headings = enabled.map((item) => headingOf(item, heading))
  const markers = markersOf(headings)
  const sections = enabled.map((item, index) => sectionSpans(item, headings[index] ?? "", markers))
  const parts = [baseSpans(base), ...sections].filter((spans) => spans.length > 0)
  return parts.flatMap((spans, index) => (index === 0 ? spans : [{ ...frameOf(spans), text: "\n\n" }, ...spans]))
}

/** The text of spans, joined. */
export function joinSpans(spans: readonly RenderedSpan[]): string {
  return spans.map((span) => span.text).join("")
}

function headingOf(item: Injection, heading: Heading): string {
  if (heading === "key") return `## ${item.key}`
  return heading === "none" ? "" : heading(item)
}

/** The markers that untrusted text must not imitate: headings of any level, and all headings of this rendering. */
function markersOf(headings: readonly string[]): Markers {
  const lines = headings.flatMap((heading) => splitLines(heading).map((line) => fold(line.text)))
  return { lines: new Set(lines), heads: ["##"], fences: false, shapes: [lineShapes.heading], tokens: true }
}

function baseSpans(base: string): readonly RenderedSpan[] {
  return base.trim() === "" ? [] : [{ text: base, key: "base", part: "content", trust: "author", stability: "session" }]
}

function sectionSpans(item: Injection, heading: string, markers: Markers): readonly RenderedSpan[] {
  const texts = printValue(item.content, item.trust, markers)
  if (texts.length === 0) return []
  const stability = stabilityOf(item)
  const frame = { key: item.key, part: "frame", trust: "author", stability } as const
  const content = texts.flatMap((printed, index): RenderedSpan[] => {
    const source = printed.source ?? item.source
    const span = { text: printed.text, key: item.key, part: "content", trust: printed.trust, stability } as const
    return [...(index === 0 ? [] : [{ ...frame, text: "\n" }]), source ? { ...span, source } : span]
  })
  return heading === "" ? content : [{ ...frame, text: `${heading}\n` }, ...content]
}

function frameOf(spans: readonly RenderedSpan[]): RenderedSpan {
  const [first] = spans
  return { text: "", key: first?.key ?? "", part: "frame", trust: "author", stability: first?.stability ?? "turn" }
}

/** One item of a stack as plain data, for people. */
export interface InjectionDebug extends Pick<Injection, "key" | "priority" | "role" | "scope" | "enabled" | "source"> {
  /** The first 200 characters (code points), then `...` if there are more. */
  readonly content: string
  /** Tokens of all spans of this key in the assembly. */
  readonly tokens?: number
  readonly fate?: FitDecision["fate"]
  readonly reason?: string
}

const shownCharacters = 200
const noMarkers: Markers = { lines: new Set(), heads: [], fences: false }

/** Every item in the given order, also disabled ones. With an assembly, also its tokens and its fate there (S6). */
export function renderDebug(items: readonly Injection[], assembly?: Assembly): InjectionDebug[] {
  if (assembly !== undefined) checkMemberTypes("the assembly of renderDebug", assembly, "decisions:list messages:list")
  return items.map((item) => {
    const { key, priority, role, scope, enabled } = item
    const content = printValue(item.content, item.trust, noMarkers).map((printed) => printed.text)
    const source = sourceOf(item, assembly)
    const shown = { key, content: shorten(content.join("\n")), priority, role, scope, enabled, source }
    return assembly ? { ...shown, ...outcomeOf(key, assembly) } : shown
  })
}

function sourceOf(item: Injection, assembly: Assembly | undefined): Source | undefined {
  const span = assembly?.spans.find((span) => span.key === item.key && span.part === "content" && span.source)
  if (span?.source) return span.source
  return (isText(item.content) ? item.content.source : undefined) ?? item.source
}

function outcomeOf(key: string, assembly: Assembly): Pick<InjectionDebug, "tokens" | "fate" | "reason"> {
  const tokens = assembly.spans.reduce((sum, span) => (span.key === key ? sum + span.tokens : sum), 0)
  const decision = assembly.decisions.findLast((decision) => decision.key === key)
  return decision ? { tokens, fate: decision.fate, reason: decision.reason } : { tokens }
}

function shorten(text: string): string {
  const end = offsetAfter(text, shownCharacters)
  return end < text.length ? `${text.slice(0, end)}...` : text
}

/**
 * The texts that a value prints in a stack, each on lines of its own. Flags print nothing; entries print the texts of their slots
 * in order. Text that is not the author's is sanitised and cannot imitate one of the markers.
 */
function printValue(value: SlotValue, trust: Trust, markers: Markers): readonly TrustedText[] {
  if (typeof value === "boolean") return []
  if (typeof value === "string") return printText({ text: value, trust }, markers)
  if (isText(value)) return printText(value, markers)
  const slots: readonly (SlotValue | undefined)[] = value.flatMap((entry) => Object.values(entry))
  return slots.flatMap((slot) => (slot === undefined ? [] : printValue(slot, trust, markers)))
}

function printText(written: TrustedText, markers: Markers): readonly TrustedText[] {
  const standsAsItIs = written.trust === "author" || isEncodedText(written)
  const text = standsAsItIs ? written.text : encodeText(sanitise(written.text).text, "lines", markers)
  return text.trim() === "" ? [] : [{ ...written, text }]
}
