import { PromptStrataError } from "../../core/errors.ts"
import { Memo } from "../../core/memo.ts"

/**
 * Remembers what assembling made of a conversation, so that its next request does only the work of what is new. Hold one for each
 * conversation and give it to `assemble` each time. What it remembers goes with it. All assemblers of a process together hold about
 * 33 million characters at most, and 256 of them hold something; beyond that, those that were used least recently forget.
 */
export interface Assembler {
  /** About the UTF-16 units of the messages that it holds, and of the texts whose counts it knows. */
  readonly size: number
  /** Forgets everything. The next request is made from nothing. */
  forget(): void
}

/** The UTF-16 units that all assemblers together may hold. */
export const mostUnits = 2 ** 25

/** The assemblers that may hold something. What is made of a short conversation takes some 100 kB, however few units it has. */
export const mostHolding = 256

/** By assembler that holds something, its size; the least recently used first. Weak, because each belongs to its session alone. */
const holding = new Map<WeakRef<MemoOwner>, number>()

/** The units of all these. */
let unitsHeld = 0

class MemoOwner implements Assembler {
  readonly #self = new WeakRef(this)
  memo = new Memo()

  get size(): number {
    return holding.get(this.#self) ?? 0
  }

  /** The memo is made anew: what still works with the old one cannot fill it again. */
  forget(): void {
    this.memo = new Memo()
    hold(this.#self, 0)
  }

  holds(size: number): void {
    hold(this.#self, size)
  }
}

function hold(owner: WeakRef<MemoOwner>, size: number): void {
  unitsHeld += size - (holding.get(owner) ?? 0)
  holding.delete(owner)
  if (size > 0) holding.set(owner, size)
}

/** Those that are collected already go in their turn, too: to look at all of them took 3 % of the CPU of a short turn. */
function dropOldest(): void {
  for (const owner of holding.keys()) {
    if (unitsHeld <= mostUnits && holding.size <= mostHolding) return
    owner.deref()?.forget()
    hold(owner, 0)
  }
}

/** Lets all assemblers of the process forget, because a store forgot words that may stand in their requests. */
export function forgetRequests(): void {
  for (const owner of holding.keys()) owner.deref()?.forget()
}

/** Makes an assembler that remembers nothing yet. */
export function createAssembler(): Assembler {
  return new MemoOwner()
}

/** The memo of an assembler. Without one, it is a memo for one call. */
export function memoOf(assembler: Assembler | undefined): Memo {
  if (assembler === undefined) return new Memo()
  if (assembler instanceof MemoOwner) return assembler.memo
  throw new PromptStrataError("usage", "expected `assembler` from `createAssembler`, found another object.")
}

/** Notes that an assembler was used, and about the units that it holds now. */
export function noteUse(assembler: Assembler | undefined, size: number): void {
  if (assembler instanceof MemoOwner) assembler.holds(size)
  dropOldest()
}
