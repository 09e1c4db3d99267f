import type { Span } from "../core/span.ts"
import type { Injection } from "../core/value.ts"
import { fold } from "../encode/fold.ts"
import { splitLines } from "../encode/line-breaks.ts"
import type { Markers } from "../encode/lines.ts"
import { printValue } from "./value-text.ts"

/** What stands above an item's content: `## key`, nothing, or what the function gives; an empty string is no heading. */
export type Heading = "key" | "none" | ((injection: Injection) => string)

/** How a stack is rendered. `heading` is `"key"` where it is left out. */
export interface RenderOptions {
  readonly heading?: Heading
}

/** A run of characters of one origin in a rendered stack; joined, they are the text (S12). Not counted yet. */
export type RenderedSpan = Omit<Span, "message" | "tokens">

/**
 * The base, then every enabled item in the given order, parted by blank lines (S5). A blank base and items that print
 * nothing leave no trace. The base is the span of key `base`.
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

/** The text that spans tile. */
export function joinSpans(spans: readonly RenderedSpan[]): string {
  return spans.map((span) => span.text).join("")
}

function headingOf(item: Injection, heading: Heading): string {
  if (heading === "key") return `## ${item.key}`
  return heading === "none" ? "" : heading(item)
}

/** Untrusted text can pass neither for a `##` heading nor for any heading that stands in this rendering. */
function markersOf(headings: readonly string[]): Markers {
  const lines = headings.flatMap((heading) => splitLines(heading).map((line) => fold(line.text)))
  return { lines: new Set(lines), heads: ["##"], fences: false }
}

function baseSpans(base: string): readonly RenderedSpan[] {
  return base.trim() === "" ? [] : [{ text: base, key: "base", part: "content", trust: "author", stability: "session" }]
}

function sectionSpans(item: Injection, heading: string, markers: Markers): readonly RenderedSpan[] {
  const texts = printValue(item.content, item.trust, markers)
  if (texts.length === 0) return []
  const frame = { key: item.key, part: "frame", trust: "author", stability: item.scope } as const
  const content = texts.flatMap((printed, index): RenderedSpan[] => {
    const source = printed.source ?? item.source
    const span = { text: printed.text, key: item.key, part: "content", trust: printed.trust, stability: item.scope } as const
    return [...(index === 0 ? [] : [{ ...frame, text: "\n" }]), source ? { ...span, source } : span]
  })
  return heading === "" ? content : [{ ...frame, text: `${heading}\n` }, ...content]
}

function frameOf(spans: readonly RenderedSpan[]): RenderedSpan {
  const [first] = spans
  return { text: "", key: first?.key ?? "", part: "frame", trust: "author", stability: first?.stability ?? "turn" }
}
