import { invariant } from "../../../core/errors.ts"
import { edgePieces, nextId, type Part, type Tail } from "./part.ts"
import { noPieces, type PieceScan, type PieceWindow, scanWhole, sliceWindow, startOf, sumTokens } from "./piece-window.ts"

/** The effect of appending a part to a message: the tokens by which the count grows, and the message's last pieces afterwards. */
export interface Seam {
  readonly tokens: number
  readonly tail: Tail
  /** True if it depends on more of the text before than the last pieces: it holds for that text alone. */
  readonly isFar?: boolean
}

/** The tail of an empty message. */
export const messageStart: Tail = { ...noPieces, id: 0 }

/**
 * Finds the seam between a message so far (its last pieces are `left`) and a part. It splits a window around the seam, and a
 * wider one until both its ends are certain. `before` gives the whole text before, for the rare seam that reaches further back.
 */
export function settleSeam(left: Tail, part: Part, scan: PieceScan, before: () => string): Seam {
  const { head } = part
  if (left.ends.length === 0) return { tokens: part.tokens, tail: head.isWhole ? { ...head, id: nextId() } : part.tail }
  const near = settle(left, head, scan)
  if (near) return seamOf(left, part, { ...near, head })
  const [whole, all] = [scanWhole(before(), scan), scanWhole(part.text, scan)]
  const far = settle(whole, all, scan)
  invariant(far !== undefined, "two texts that are split whole have a seam")
  const { kept, between, resumed } = far
  return {
    tokens: grownBy(whole, part, { ...far, head: all }),
    tail: tailOf([sliceWindow(whole, 0, kept), between, sliceWindow(all, resumed)], true),
    isFar: true,
  }
}

/** The first `kept` pieces of the left side stay, `between` are new, and the right side's pieces go on from index `resumed`. */
interface SeamPieces {
  readonly kept: number
  readonly between: PieceWindow
  readonly resumed: number
}

function settle(left: PieceWindow, right: PieceWindow, scan: PieceScan): SeamPieces | undefined {
  const most = Math.max(left.ends.length, right.ends.length)
  for (let width = 2; ; width *= 2) {
    const from = Math.max(0, left.ends.length - width)
    const to = Math.min(right.ends.length, width)
    const text = left.text.slice(startOf(left, from)) + right.text.slice(0, startOf(right, to))
    const settled = readWindow(scanWhole(text, scan), { left, from, right, to })
    if (settled) return settled
    if (width >= most) return undefined
  }
}

/** In a window, the left side's pieces begin with index `from`, and the right side's end before index `to`. */
interface WindowBounds {
  readonly left: PieceWindow
  readonly from: number
  readonly right: PieceWindow
  readonly to: number
}

/** The seam, or `undefined` if the window is too small to be certain. */
function readWindow(window: PieceWindow, { left, from, right, to }: WindowBounds): SeamPieces | undefined {
  const offset = startOf(left, from)
  const seamAt = left.text.length - offset
  let stays = 0
  while (from + stays < left.ends.length && window.ends[stays] === (left.ends[from + stays] ?? 0) - offset) stays++
  // If a piece stays, all pieces before it stay. Without one, the window must begin where the message begins.
  if (stays === 0 && (from > 0 || !left.isWhole)) return undefined
  for (let piece = stays, resumed = 0; piece < window.ends.length; piece++) {
    const at = startOf(window, piece) - seamAt
    while (resumed < to && startOf(right, resumed) < at) resumed++
    // If a piece is one of the right side's own, the end of the window has changed nothing before it.
    const isOwn = resumed < to && at === startOf(right, resumed) && (window.ends[piece] ?? 0) - seamAt === right.ends[resumed]
    if (isOwn) return { kept: from + stays, between: sliceWindow(window, stays, piece), resumed }
  }
  if (to < right.ends.length || !right.isWhole) return undefined
  return { kept: from + stays, between: sliceWindow(window, stays), resumed: to }
}

/** A settled seam, and the right side's pieces from which it was found. */
type SettledParts = SeamPieces & { readonly head: PieceWindow }

function grownBy(left: PieceWindow, part: Part, { kept, between, resumed, head }: SettledParts): number {
  const lost = sumTokens(left.tokens, kept, left.ends.length) + sumTokens(head.tokens, 0, resumed)
  return part.tokens - lost + sumTokens(between.tokens, 0, between.ends.length)
}

function seamOf(left: Tail, part: Part, settled: SettledParts): Seam {
  const { kept, between, resumed } = settled
  const tokens = grownBy(left, part, settled)
  const rest = part.pieces - resumed
  if (rest >= edgePieces) return { tokens, tail: part.tail }
  // Fewer pieces of the part are left than a tail holds, so the part's tail has all of them.
  const own = sliceWindow(part.tail, part.tail.ends.length - rest)
  return { tokens, tail: tailOf([sliceWindow(left, 0, kept), between, own], left.isWhole) }
}

/** The last pieces of windows that follow each other. `isWhole` is true if the first window begins the message. */
function tailOf(windows: readonly PieceWindow[], isWhole: boolean): Tail {
  let text = ""
  const ends: number[] = []
  const tokens: number[] = []
  for (const window of windows) {
    for (let index = 0; index < window.ends.length; index++) {
      ends.push(text.length + (window.ends[index] ?? 0))
      tokens.push(window.tokens[index] ?? 0)
    }
    text += window.text
  }
  const all = { text, ends, tokens, isWhole }
  const tail = ends.length <= edgePieces ? all : sliceWindow(all, ends.length - edgePieces)
  return { ...tail, id: nextId() }
}
