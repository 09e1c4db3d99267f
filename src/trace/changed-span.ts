import { type Stability, stabilities } from "../core/scope.ts"
import type { Assembly, Span } from "../core/span.ts"
import type { Parting } from "./parting.ts"

/** The span that made two requests differ. */
export interface ChangedSpan extends Pick<Span, "key" | "part" | "trust" | "stability" | "source" | "message"> {
  /** UTF-16 offset in its message's content where it begins. */
  readonly offset: number
  /** `added`: its layer stands in the next request only; `removed`: in the previous one only; `changed`, `moved`: in both. */
  readonly change: "added" | "removed" | "changed" | "moved"
}

/** A span and where it begins in its message. */
interface PlacedSpan {
  readonly span: Span
  readonly start: number
}

/** Who is to blame for a difference; undefined where no span stands there, as in a message that only makes a native call. */
export function findChangedSpan(previous: Assembly, next: Assembly, parting: Parting): ChangedSpan | undefined {
  const [before, after] = [spanAround(previous, parting), spanAround(next, parting)]
  const [old, young] = [before.at, after.at]
  if (!old || !young)
    return young ? placed(young, wholly(young, parting, "added")) : old && placed(old, wholly(old, parting, "removed"))
  if (isSame(old.span, young.span)) return placed(lessStable(young, old), "changed")
  // What grew or shrank at its end goes on where the other request has its neighbour already.
  if (before.ending && isSame(before.ending.span, young.span)) return placed(young, "changed")
  if (after.ending && isSame(after.ending.span, old.span)) return placed(old, "changed")
  const came = !previous.spans.some((span) => isSame(span, young.span))
  const went = !next.spans.some((span) => isSame(span, old.span))
  // Where one took the other's place, a broken promise tells more than a change that was to be expected.
  if (came && !(went && isStabler(old, young))) return placed(young, "added")
  if (went) return placed(old, "removed")
  return placed(lessStable(young, old), "moved")
}

/** True for what claims to stay as it is for at least a session. */
export function claimsToBeStable(stability: Stability): boolean {
  return stability === "global" || stability === "session"
}

/** The span that goes on at a place, and the one that ends there though it began before it. */
function spanAround({ spans }: Assembly, { message, offset }: Parting): { at?: PlacedSpan; ending?: PlacedSpan } {
  let start = 0
  let ending: PlacedSpan | undefined
  for (const span of spans) {
    if (span.message < message) continue
    if (span.message > message) break
    const end = start + span.text.length
    if (end > offset) return { at: { span, start }, ...(ending ? { ending } : {}) }
    if (end === offset) ending = { span, start }
    start = end
  }
  return ending ? { ending } : {}
}

/** A layer is known by its key, a prompt file's own text by its place in the file. */
function isSame(a: Span, b: Span): boolean {
  if (a.key !== b.key) return false
  return a.key !== "" || (a.source?.file === b.source?.file && a.source?.line === b.source?.line)
}

/** What began before the place has only grown or shrunk there. */
function wholly({ start }: PlacedSpan, { offset }: Parting, change: "added" | "removed"): ChangedSpan["change"] {
  return start < offset ? "changed" : change
}

/** The one that changes more often is the likelier to have moved the other; equals: the first. */
function lessStable(a: PlacedSpan, b: PlacedSpan): PlacedSpan {
  return isStabler(a, b) ? b : a
}

function isStabler(a: PlacedSpan, b: PlacedSpan): boolean {
  return stabilities.indexOf(a.span.stability) < stabilities.indexOf(b.span.stability)
}

function placed({ span, start }: PlacedSpan, change: ChangedSpan["change"]): ChangedSpan {
  const { key, part, trust, stability, message, source } = span
  return { key, part, trust, stability, message, offset: start, change, ...(source ? { source } : {}) }
}
