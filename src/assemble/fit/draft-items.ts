import type { Injection } from "../../core/value.ts"
import type { Draft, DraftMessage, Piece } from "../draft/draft.ts"
import type { MessageCounter, PartTokens } from "../tokens/counted-message.ts"

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
  /** For each number, 1 if the prompt file names the slot of its injection. */
  readonly named: Uint8Array
}

/** Some numbers of an order: from `from` on, before `to`. */
export interface NumberRange {
  readonly from: number
  readonly to: number
}

/** The runs of a draft by number. A run is a row of pieces of one key in one message. */
interface RunLayout {
  /** The messages of the draft that was laid out. */
  readonly messages: readonly DraftMessage[]
  /** For each run: its message, the index of its first piece there and the index after its last one. */
  readonly inMessages: Uint32Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** For each run, the number of its injection; for one that has none, the length of the order. */
  readonly numbers: Uint32Array
  /** For each message, the index after its last run. */
  readonly messageEnds: readonly number[]
  /** For each number, its first run, and for each run, the next one of its number; -1 where there is none. */
  readonly first: Int32Array
  readonly next: Int32Array
}

/** By the places of an order, the layout of the last draft. The next draft often has the same keys at the same places. */
const layouts = new WeakMap<Uint32Array, RunLayout>()

/** The pieces of a draft by the injections that printed them. An injection goes by its number in the order in which injections shrink. Nothing is counted before it is asked for. */
export class DraftItems {
  readonly #draft: Draft
  readonly #counter: MessageCounter
  readonly #ranked: RankOrder
  readonly #runs: RunLayout

  constructor(draft: Draft, counter: MessageCounter, ranked: RankOrder) {
    this.#draft = draft
    this.#counter = counter
    this.#ranked = ranked
    const { messages } = draft
    let known = layouts.get(ranked.byPlace)
    if (known?.messages.length !== messages.length) known = undefined
    for (let index = 0; known && index < messages.length; index++) {
      const [before, pieces] = [known.messages[index]?.pieces, messages[index]?.pieces ?? []]
      if (before?.length !== pieces.length) known = undefined
      for (let at = 0; at < pieces.length; at++)
        if (pieces[at] !== before?.[at] && pieces[at]?.key !== before?.[at]?.key) known = undefined
    }
    this.#runs = known ? { ...known, messages } : this.#layOut(messages)
    layouts.set(ranked.byPlace, this.#runs)
  }

  #layOut(messages: readonly DraftMessage[]): RunLayout {
    const none = this.#ranked.order.length
    const first = new Int32Array(none + 1).fill(-1)
    let most = 0
    for (const { pieces } of messages) most += pieces.length
    const [inMessages, starts] = [new Uint32Array(most), new Uint32Array(most)]
    const [ends, numbers] = [new Uint32Array(most), new Uint32Array(most)]
    const messageEnds: number[] = []
    let runs = 0
    for (const [message, { pieces }] of messages.entries()) {
      for (let at = 0; at < pieces.length; runs++) {
        const key = pieces[at]?.key ?? ""
        inMessages[runs] = message
        starts[runs] = at
        while (pieces[at]?.key === key) at++
        ends[runs] = at
        numbers[runs] = key === "" ? none : this.numberOf(key)
      }
      messageEnds.push(runs)
    }
    const next = new Int32Array(runs)
    for (let run = runs - 1; run >= 0; run--) {
      const number = numbers[run] ?? none
      next[run] = first[number] ?? -1
      first[number] = run
    }
    return { messages, inMessages, starts, ends, numbers, messageEnds, first, next }
  }

  /** The number of a key's injection; the length of the order if it has none. */
  numberOf(key: string): number {
    const { order, places, byPlace } = this.#ranked
    const place = places.of.get(key)
    return place === undefined ? order.length : (byPlace[place] ?? order.length)
  }

  /** True if an injection prints anything. */
  prints(number: number): boolean {
    return (this.#runs.first[number] ?? -1) >= 0
  }

  /** The tokens of what an injection prints, each piece counted by itself; for the length of the order, those of all without a number. */
  own(number: number): number {
    const { first, next, starts, ends } = this.#runs
    let tokens = 0
    for (let run = first[number] ?? -1; run >= 0; run = next[run] ?? -1)
      for (let at = starts[run] ?? 0; at < (ends[run] ?? 0); at++) tokens += this.#partAt(run, at).tokens
    return tokens
  }

  /** The tokens among {@link own} that no seam can take away. */
  least(number: number): number {
    const { first, next, starts, ends } = this.#runs
    let tokens = 0
    for (let run = first[number] ?? -1; run >= 0; run = next[run] ?? -1)
      for (let at = starts[run] ?? 0; at < (ends[run] ?? 0); at++) tokens += this.#partAt(run, at).innerTokens
    return tokens
  }

  /** The tokens of what some injections print, joined in the order of the draft. */
  together({ from, to }: NumberRange): number {
    const { first, next, starts, ends } = this.#runs
    const runs: number[] = []
    for (let number = from; number < to; number++)
      for (let run = first[number] ?? -1; run >= 0; run = next[run] ?? -1) runs.push(run)
    const pieces = runs.sort((a, b) => a - b).flatMap((run) => this.#piecesOf(run).slice(starts[run], ends[run]))
    return this.#counter.message(pieces)
  }

  /** The draft without some injections. It equals a composed one, if no slot loses its first item. */
  without(gone: NumberRange): Draft {
    const { messages, printed } = this.#draft
    let from = 0
    return {
      printed,
      messages: messages.map((message, index) => {
        const to = this.#runs.messageEnds[index] ?? from
        const pieces = this.#kept({ from, to }, gone)
        from = to
        return pieces.length === message.pieces.length
          ? message
          : ({ ...message, pieces, written: undefined } satisfies DraftMessage)
      }),
    }
  }

  #kept(runs: NumberRange, { from, to }: NumberRange): readonly Piece[] {
    const { numbers, starts, ends } = this.#runs
    const kept: Piece[] = []
    for (let run = runs.from; run < runs.to; run++) {
      const number = numbers[run] ?? 0
      if (number >= from && number < to) continue
      const [pieces, end] = [this.#piecesOf(run), ends[run] ?? 0]
      for (let at = starts[run] ?? 0; at < end; at++) {
        const piece = pieces[at]
        if (piece) kept.push(piece)
      }
    }
    return kept
  }

  /** The pieces of the message in which a run stands. */
  #piecesOf(run: number): readonly Piece[] {
    return this.#draft.messages[this.#runs.inMessages[run] ?? 0]?.pieces ?? []
  }

  #partAt(run: number, at: number): PartTokens {
    return this.#counter.part(this.#piecesOf(run)[at] ?? noPiece)
  }
}

const noPiece = { text: "" }
