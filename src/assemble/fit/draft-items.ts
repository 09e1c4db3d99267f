import type { Injection } from "../../core/value.ts"
import type { Draft, DraftMessage, Piece } from "../draft/draft.ts"
import type { MessageCounter } from "../tokens/counted-message.ts"

/** The place of each key's injection among the given ones: a number below `count`, different for each key. */
export interface KeyPlaces {
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

/** The injections that may shrink, in the order in which they do. */
export interface RankOrder {
  readonly order: readonly Injection[]
  readonly places: KeyPlaces
  /** For each place, the number of its injection in the order; the length of the order for others. */
  readonly byPlace: Uint32Array
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
  readonly #places: KeyPlaces
  /** The number of the injection at each place. */
  readonly #byPlace: Uint32Array
  /** For each run: its message, the index of its first piece there and the index after its last one. */
  readonly #messages: Uint32Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** For each run, the number of its injection; for one that has none, the length of the order. */
  readonly #numbers: Uint32Array
  /** For each message, the index after its last run. */
  readonly #messageEnds: number[] = []
  /** For each number, its first run, and for each run, the next one of its number; -1 where there is none. */
  readonly #first: Int32Array
  readonly #next: Int32Array

  constructor(draft: Draft, counter: MessageCounter, { order, places, byPlace }: RankOrder) {
    this.#draft = draft
    this.#counter = counter
    this.#places = places
    this.#byPlace = byPlace
    this.#first = new Int32Array(order.length + 1).fill(-1)
    let most = 0
    for (const { pieces } of draft.messages) most += pieces.length
    this.#messages = new Uint32Array(most)
    this.#starts = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
    this.#numbers = new Uint32Array(most)
    let runs = 0
    for (const [message, { pieces }] of draft.messages.entries()) {
      for (let at = 0; at < pieces.length; runs++) {
        const key = pieces[at]?.key ?? ""
        this.#messages[runs] = message
        this.#starts[runs] = at
        while (pieces[at]?.key === key) at++
        this.#ends[runs] = at
        this.#numbers[runs] = key === "" ? order.length : this.numberOf(key)
      }
      this.#messageEnds.push(runs)
    }
    this.#next = new Int32Array(runs)
    for (let run = runs - 1; run >= 0; run--) {
      const number = this.#numbers[run] ?? order.length
      this.#next[run] = this.#first[number] ?? -1
      this.#first[number] = run
    }
  }

  /** The number of a key's injection; the length of the order if it has none. */
  numberOf(key: string): number {
    const none = this.#first.length - 1
    const place = this.#places.of.get(key)
    return place === undefined ? none : (this.#byPlace[place] ?? none)
  }

  /** True if an injection prints anything. */
  prints(number: number): boolean {
    return (this.#first[number] ?? -1) >= 0
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
    const pieces = runs.sort((a, b) => a - b).flatMap((run) => this.#piecesOf(run).slice(this.#starts[run], this.#ends[run]))
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
      const [pieces, end] = [this.#piecesOf(run), this.#ends[run] ?? 0]
      for (let at = this.#starts[run] ?? 0; at < end; at++) {
        const piece = pieces[at]
        if (piece) kept.push(piece)
      }
    }
    return kept
  }

  /** The pieces of the message in which a run stands. */
  #piecesOf(run: number): readonly Piece[] {
    return this.#draft.messages[this.#messages[run] ?? 0]?.pieces ?? []
  }

  #partAt(run: number, at: number): { readonly tokens: number; readonly innerTokens: number } {
    const piece = this.#piecesOf(run)[at]
    return piece ? this.#counter.part(piece) : noTokens
  }
}

const noTokens = { tokens: 0, innerTokens: 0 }
