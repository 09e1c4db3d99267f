import { PromptStrataError } from "../../core/errors.ts"
import { Memo } from "../../core/memo.ts"

/**
 * Remembers what assembling made of a conversation, so that its next request does only the work of what is new. Hold one for each
 * conversation and give it to `assemble` each time. What it remembers goes with it. All assemblers of a process together hold about
 * 33 million characters at most; beyond that, those that were used least recently forget.
 */
export interface Assembler {
  /** About the UTF-16 units of the messages that it holds, and of the texts whose counts it knows. */
  readonly size: number
  /** Forgets everything. The next request is made from nothing. */
  forget(): void
}

/** The UTF-16 units that all assemblers together may hold. */
export const mostUnits = 2 ** 25

/** Assemblers that hold something, the least recently used first. Weak, because each belongs to its session alone. */
const holding = new Set<WeakRef<MemoOwner>>()

/** The units of all these, and of some that are collected already. */
let unitsHeld = 0

class MemoOwner implements Assembler {
  /** The object that keeps the words of its session, such as the job runner of a store. */
  readonly keeper: object | undefined
  readonly #self = new WeakRef(this)
  #memo: Memo | undefined
  #size = 0

  constructor(keeper?: object) {
    this.keeper = keeper
  }

  get size(): number {
    return this.#size
  }

  /** The memo is made anew after it was forgotten: what still works with the old one cannot fill it again. */
  get memo(): Memo {
    this.#memo ??= new Memo()
    return this.#memo
  }

  forget(): void {
    this.#memo = undefined
    this.#hold(0)
    holding.delete(this.#self)
  }

  used(size: number): void {
    this.#hold(size)
    holding.delete(this.#self)
    holding.add(this.#self)
    if (unitsHeld > mostUnits) dropOldest()
  }

  #hold(size: number): void {
    unitsHeld += size - this.#size
    this.#size = size
  }
}

function dropOldest(): void {
  unitsHeld = 0
  for (const owner of holding) {
    const size = owner.deref()?.size
    if (size === undefined) holding.delete(owner)
    else unitsHeld += size
  }
  for (const owner of holding) if (unitsHeld > mostUnits) owner.deref()?.forget()
}

/** Makes an assembler that remembers nothing yet. */
export function createAssembler(): Assembler {
  return new MemoOwner()
}

/** Makes an assembler for a session whose words `keeper` keeps. */
export function sessionAssembler(keeper: object): Assembler {
  return new MemoOwner(keeper)
}

/** Lets all sessions forget their requests whose words `keeper` keeps, because it forgot some. */
export function forgetRequests(keeper: object): void {
  for (const owner of holding) if (owner.deref()?.keeper === keeper) owner.deref()?.forget()
}

/** The memo of an assembler. Without one, it is a memo for one call. */
export function memoOf(assembler: Assembler | undefined): Memo {
  if (assembler === undefined) return new Memo()
  if (assembler instanceof MemoOwner) return assembler.memo
  throw new PromptStrataError("usage", "expected `assembler` to be made by `createAssembler`, found another object.")
}

/** Notes that an assembler was used, and about the units that it holds now. */
export function noteUse(assembler: Assembler | undefined, size: number): void {
  if (assembler instanceof MemoOwner) assembler.used(size)
}
