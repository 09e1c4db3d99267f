import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/grapheme-boundary.ts"
import type { Assembly } from "../core/span.ts"
import { oneLine } from "./one-line.ts"
import type { Parting } from "./parting.ts"

/** The characters around the place where two requests part: whole graphemes, on one line, shortened. */
export interface Excerpt {
  /** What stands before it in both; `…` in front where there is more. */
  readonly shared: string
  /** What stands behind it in the previous request, `…` behind where there is more; empty where its message ends. */
  readonly previous: string
  readonly next: string
}

/** UTF-16 units shown on either side. */
const aroundUnits = 48

/** Cuts the excerpt out of both; a grapheme that only begins the same is shown whole on both sides. */
export function excerptAround(previous: Assembly, next: Assembly, { message, offset }: Parting): Excerpt {
  const [old, young] = [previous, next].map(({ messages }) => messages[message]?.content ?? "") as [string, string]
  const at = Math.min(graphemeBoundaryBefore(old, offset), graphemeBoundaryBefore(young, offset))
  return { shared: endOf(young.slice(0, at)), previous: beginningOf(old, at), next: beginningOf(young, at) }
}

function endOf(text: string): string {
  const from = graphemeBoundaryAfter(text, text.length - aroundUnits)
  return (from > 0 ? "…" : "") + oneLine(text.slice(from))
}

function beginningOf(text: string, at: number): string {
  return oneLine(text.slice(at), aroundUnits)
}
