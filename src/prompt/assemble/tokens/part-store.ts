import { Generations } from "../../../core/memo.ts"
import { makePart, type Part, type Tail } from "./part.ts"
import type { PieceScan } from "./piece-window.ts"
import { type Seam, settleSeam } from "./seam.ts"

/** The limits of one generation; each map holds two. */
const partLimits = { entries: 16_384, weight: 4_194_304 }
const seamLimits = { entries: 65_536 }

/** The units of text that a seam counts for: about the memory that it takes. */
const seamWeight = 64

/** Of two ids, so many fit into one exact number. */
const idLimit = 2 ** 26

function keyOf(tail: Tail, part: Part): number {
  return (tail.id % idLimit) * idLimit + (part.id % idLimit)
}

/**
 * Remembers counted texts and the seams between them, so that none of them is split again. Texts of authors are the same in all
 * sessions: a store of their own remembers them, if there is one.
 */
export class PartStore {
  readonly scan: PieceScan
  readonly #authored: PartStore | undefined
  readonly #parts = new Generations<string, Part>(partLimits)
  /** Seams with the ids of their two sides: ids never end, so the seams of two other sides can have the same key. */
  readonly #seams = new Generations<number, Seam & { readonly left: number; readonly right: number }>(seamLimits)

  constructor(scan: PieceScan, authored?: PartStore) {
    this.scan = scan
    this.#authored = authored
  }

  /** About the UTF-16 units of what it holds, without the texts of authors. */
  get size(): number {
    return this.#parts.weight + this.#seams.weight
  }

  part(text: string, isAuthored = false): Part {
    if (isAuthored && this.#authored) return this.#authored.part(text)
    return this.#parts.made(text, () => makePart(text, this.scan), text.length)
  }

  /** Remembers a part that was made from pieces known already. */
  add(part: Part): void {
    this.#parts.set(part.text, part, part.text.length)
  }

  /** The seam between a message's last pieces and a part, if it is remembered. */
  knownSeam(tail: Tail, part: Part): Seam | undefined {
    const known = this.#seams.get(keyOf(tail, part))
    return known?.left === tail.id && known.right === part.id ? known : undefined
  }

  /** Finds and remembers the seam between a message's last pieces and a part, but for a far one. `before` gives the message's text so far. */
  settleSeam(tail: Tail, part: Part, before: () => string): Seam {
    const seam = settleSeam(tail, part, this.scan, before)
    if (!seam.isFar) this.#seams.set(keyOf(tail, part), { ...seam, left: tail.id, right: part.id }, seamWeight)
    return seam
  }
}
