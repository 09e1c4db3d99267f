import type { Injection } from "../../core/value.ts"
import type { Draft, DraftMessage, Piece } from "../draft/draft.ts"
import type { MessageCounter } from "../tokens/counted-message.ts"

/** The place of each key's injection among the given ones: a number below `count`, different for each key. */
export interface KeyPlaces {
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

/** The injections that may shrink, in the order in which they do, and where each key stands among the given ones. */
interface ItemOrder {
  readonly order: readonly Injection[]
  readonly places: KeyPlaces
}

/** Some numbers of an order: from `from` on, before `to`. */
export interface NumberRange {
  readonly from: number
  readonly to: number
}

/**
 * The pieces of a draft by the injections that printed them. An injection goes by its number in the order in which injections shrink.
 * A run is a row of pieces of one key in one message. Nothing is counted before it is asked for.
 */
export class DraftItems {
  readonly #draft: Draft
  readonly #counter: MessageCounter
  /** For each run: the pieces of its message, the index of its first one and the index after its last one. */
  readonly #lists: (readonly Piece[])[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** For each run, the number of its injection; for one that has none, the length of the order. */
  readonly #numbers: number[] = []
  /** For each message, the index after its last run. */
  readonly #messageEnds: number[] = []
  /** For each number, its first run, and for each run, the next one of its number; -1 where there is none. */
  readonly #first: Int32Array
  readonly #next: Int32Array

  constructor(draft: Draft, counter: MessageCounter, { order, places }: ItemOrder) {
    this.#draft = draft
    this.#counter = counter
    const byPlace = new Uint32Array(places.count).fill(order.length)
    for (let number = 0; number < order.length; number++) {
      const place = places.of.get(order[number]?.key ?? "")
      if (place !== undefined) byPlace[place] = number
    }
    for (const { pieces } of draft.messages) {
      for (let at = 0; at < pieces.length; ) {
        const key = pieces[at]?.key ?? ""
        this.#lists.push(pieces)
        this.#starts.push(at)
        while (pieces[at]?.key === key) at++
        this.#ends.push(at)
        const place = key === "" ? undefined : places.of.get(key)
        this.#numbers.push(place === undefined ? order.length : (byPlace[place] ?? order.length))
      }
      this.#messageEnds.push(this.#lists.length)
    }
    this.#first = new Int32Array(order.length + 1).fill(-1)
    this.#next = new Int32Array(this.#lists.length)
    for (let run = this.#lists.length - 1; run >= 0; run--) {
      const number = this.#numbers[run] ?? order.length
      this.#next[run] = this.#first[number] ?? -1
      this.#first[number] = run
    }
  }

  /** The tokens of what an injection prints, each piece counted by itself; for the length of the order, those of all without a number. */
  own(number: number): number {
    let tokens = 0
    for (let run = this.#first[number] ?? -1; run >= 0; run = this.#next[run] ?? -1)
      for (let at = this.#starts[run] ?? 0; at < (this.#ends[run] ?? 0); at++) tokens += this.#partAt(run, at).tokens
    return tokens
  }

  /** The tokens among {@link own} that no seam can take away. */
  least(number: number): number {
    let tokens = 0
    for (let run = this.#first[number] ?? -1; run >= 0; run = this.#next[run] ?? -1)
      for (let at = this.#starts[run] ?? 0; at < (this.#ends[run] ?? 0); at++) tokens += this.#partAt(run, at).innerTokens
    return tokens
  }

  /** The tokens of what some injections print, joined in the order of the draft. */
  together({ from, to }: NumberRange): number {
    const runs: number[] = []
    for (let number = from; number < to; number++)
      for (let run = this.#first[number] ?? -1; run >= 0; run = this.#next[run] ?? -1) runs.push(run)
    const pieces = runs.sort((a, b) => a - b).flatMap((run) => this.#lists[run]?.slice(this.#starts[run], this.#ends[run]) ?? [])
    return this.#counter.message(pieces)
  }

  /** The draft without some injections. It equals a composed one, if no slot loses its first item. */
  without(gone: NumberRange): Draft {
    const { messages, printed } = this.#draft
    let from = 0
    return {
      printed,
      messages: messages.map((message, index) => {
        const to = this.#messageEnds[index] ?? from
        const pieces = this.#kept({ from, to }, gone)
        from = to
        return pieces.length === message.pieces.length
          ? message
          : ({ ...message, pieces, written: undefined } satisfies DraftMessage)
      }),
    }
  }

  #kept(runs: NumberRange, { from, to }: NumberRange): readonly Piece[] {
    const kept: Piece[] = []
    for (let run = runs.from; run < runs.to; run++) {
      const number = this.#numbers[run] ?? 0
      if (number >= from && number < to) continue
      const [pieces, end] = [this.#lists[run], this.#ends[run] ?? 0]
      for (let at = this.#starts[run] ?? 0; at < end; at++) {
        const piece = pieces?.[at]
        if (piece) kept.push(piece)
      }
    }
    return kept
  }

  #partAt(run: number, at: number): { readonly tokens: number; readonly innerTokens: number } {
    const piece = this.#lists[run]?.[at]
    return piece ? this.#counter.part(piece) : noTokens
  }
}

const noTokens = { tokens: 0, innerTokens: 0 }
