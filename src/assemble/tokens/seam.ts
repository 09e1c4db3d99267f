import { invariant } from "../../core/errors.ts"
import { edgePieces, nextId, type Part, type Tail } from "./part.ts"
import { noPieces, type PieceScan, type PieceWindow, scanWhole, sliceWindow, startOf, sumTokens } from "./piece-window.ts"

/** What appending a part does: by how much the message's count grows, and its last pieces afterwards. */
export interface Seam {
  readonly tokens: number
  readonly tail: Tail
}

/** Where a message begins. */
export const messageStart: Tail = { ...noPieces, id: 0 }

/**
 * Settles the seam between the text before (its last pieces are `left`) and a part: splits a window around it, made wider
 * until both its ends are sure. `before` gives the whole text before, for the rare seam that reaches further back.
 */
export function settleSeam(left: Tail, part: Part, scan: PieceScan, before: () => string): Seam {
  const { head } = part
  if (left.ends.length === 0) return { tokens: part.tokens, tail: head.isWhole ? { ...head, id: nextId() } : part.tail }
  const near = settle(left, head, scan)
  if (near) return seamOf(left, part, { ...near, head })
  const [whole, all] = [scanWhole(before(), scan), scanWhole(part.text, scan)]
  const far = settle(whole, all, scan)
  invariant(far !== undefined, "two texts that are split whole have a seam")
  return farSeam(whole, all, far, part)
}

/** The first `kept` pieces of the left side stay, `between` are new, the right side's own resume at number `resumed`. */
interface Settled {
  readonly kept: number
  readonly between: PieceWindow
  readonly resumed: number
}

function settle(left: PieceWindow, right: PieceWindow, scan: PieceScan): Settled | undefined {
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

/** The left side's pieces in a window begin with number `from`, the right side's end before number `to`. */
interface Sides {
  readonly left: PieceWindow
  readonly from: number
  readonly right: PieceWindow
  readonly to: number
}

/** The seam, or undefined where the window is too small to be sure of it. */
function readWindow(window: PieceWindow, { left, from, right, to }: Sides): Settled | undefined {
  const offset = startOf(left, from)
  const seamAt = left.text.length - offset
  let stays = 0
  while (from + stays < left.ends.length && window.ends[stays] === (left.ends[from + stays] ?? 0) - offset) stays++
  // A piece that stays vouches for all before it; the first one of the message needs nobody.
  if (stays === 0 && (from > 0 || !left.isWhole)) return undefined
  for (let piece = stays, resumed = 0; piece < window.ends.length; piece++) {
    const at = startOf(window, piece) - seamAt
    while (resumed < to && startOf(right, resumed) < at) resumed++
    // Where a piece is the right side's own, cutting the window off behind it has changed nothing before it.
    const isOwn = resumed < to && at === startOf(right, resumed) && (window.ends[piece] ?? 0) - seamAt === right.ends[resumed]
    if (isOwn) return { kept: from + stays, between: sliceWindow(window, stays, piece), resumed }
  }
  if (to < right.ends.length || !right.isWhole) return undefined
  return { kept: from + stays, between: sliceWindow(window, stays), resumed: to }
}

function seamOf(left: Tail, part: Part, { kept, between, resumed, head }: Settled & { readonly head: PieceWindow }): Seam {
  const lost = sumTokens(left.tokens, kept, left.ends.length) + sumTokens(head.tokens, 0, resumed)
  const tokens = part.tokens - lost + sumTokens(between.tokens, 0, between.ends.length)
  const rest = part.pieces - resumed
  if (rest >= edgePieces) return { tokens, tail: part.tail }
  // Fewer than a tail's are left of the part, so its last pieces are all of them.
  const own = sliceWindow(part.tail, part.tail.ends.length - rest)
  return { tokens, tail: tailOf([sliceWindow(left, 0, kept), between, own], left.isWhole) }
}

function farSeam(left: PieceWindow, right: PieceWindow, { kept, between, resumed }: Settled, part: Part): Seam {
  const lost = sumTokens(left.tokens, kept, left.ends.length) + sumTokens(right.tokens, 0, resumed)
  const tokens = part.tokens - lost + sumTokens(between.tokens, 0, between.ends.length)
  return { tokens, tail: tailOf([sliceWindow(left, 0, kept), between, sliceWindow(right, resumed)], true) }
}

/** The last pieces of windows that follow each other; `isWhole` says that the first one begins the message. */
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
