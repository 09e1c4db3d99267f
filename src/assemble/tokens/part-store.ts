import { Generations } from "./generations.ts"
import { makePart, type Part, type Tail } from "./part.ts"
import type { PieceScan } from "./piece-window.ts"
import { type Seam, settleSeam } from "./seam.ts"

/** Half of what is remembered: at most twice as many texts of twice as many characters, and twice as many seams. */
const partLimits = { entries: 16_384, weight: 4_194_304 }
const seamLimits = { entries: 65_536 }

/** Above every id that a process gives in its life, so that two of them make one number. */
const idLimit = 2 ** 26

/** Everything that was counted: texts, and the seams between them. A text or a seam that is remembered is never split again. */
export class PartStore {
  readonly #scan: PieceScan
  readonly #parts = new Generations<string, Part>(partLimits)
  readonly #seams = new Generations<number, Seam>(seamLimits)

  constructor(scan: PieceScan) {
    this.#scan = scan
  }

  get scan(): PieceScan {
    return this.#scan
  }

  part(text: string): Part {
    const known = this.#parts.get(text, text.length)
    if (known) return known
    const part = makePart(text, this.#scan)
    this.#parts.set(text, part, text.length)
    return part
  }

  /** Remembers a part whose pieces were found another way. */
  add(part: Part): void {
    this.#parts.set(part.text, part, part.text.length)
  }

  /** What appending a part to a message does, where it was settled before. */
  knownSeam(tail: Tail, part: Part): Seam | undefined {
    return this.#seams.get(tail.id * idLimit + part.id)
  }

  /** Settles what appending a part to a message does; `before` gives the message's text so far. */
  settleSeam(tail: Tail, part: Part, before: () => string): Seam {
    const seam = settleSeam(tail, part, this.#scan, before)
    this.#seams.set(tail.id * idLimit + part.id, seam)
    return seam
  }
}
