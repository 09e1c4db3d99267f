import type { Injection } from "../../../core/value.ts"
import type { PromptFile } from "../../dialect/dialect.ts"
import type { Draft, DraftMessage, Piece } from "../draft/draft.ts"
import type { MessageCounter, PartTokens } from "../tokens/message-counter.ts"

/** The place of each key's injection among the given ones: a number below `count`, different for each key. */
export interface KeyPlaces {
  readonly of: ReadonlyMap<string, number>
  readonly count: number
  /** The order in which injections at these places shrank the last time, in a prompt file. */
  ranked?: { readonly injections: readonly Injection[]; readonly file: PromptFile; readonly order: RankOrder }
}

/** The injections that may shrink, in the order in which they do. */
export interface RankOrder {
  readonly order: readonly Injection[]
  readonly places: KeyPlaces
  /** For each place, the number of its injection in the order; the length of the order for others. */
  readonly byPlace: Uint32Array
  /** For each number, 1 if the prompt file names the slot of its injection. */
  readonly named: Uint8Array
  /** The last draft that was made in this order. The next one often has the same keys at the same places, and nearly the same pieces. */
  readonly drafts: { last: { readonly layout: RunLayout; readonly counted: OwnTokens } | undefined }
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

/** The tokens of what the injections of a draft print, by number; -1 where they are not counted yet. */
interface OwnTokens {
  readonly counter: MessageCounter
  readonly own: Float64Array
  readonly least: Float64Array
  /** The tokens of some injections, joined. */
  together: (NumberRange & { readonly tokens: number }) | undefined
}

/** The pieces of a draft by the injections that printed them. An injection goes by its number in the order in which injections shrink. Nothing is counted before it is asked for. */
export class DraftItems {
  readonly #draft: Draft
  readonly #counter: MessageCounter
  readonly #ranked: RankOrder
  readonly #runs: RunLayout
  readonly #counted: OwnTokens

  constructor(draft: Draft, counter: MessageCounter, ranked: RankOrder) {
    this.#draft = draft
    this.#counter = counter
    this.#ranked = ranked
    const { messages } = draft
    const known = ranked.drafts.last
    const changed = known && changedKeys(known.layout.messages, messages)
    this.#runs = known && changed ? { ...known.layout, messages } : this.#layOut(messages)
    this.#counted = this.#countedBefore(changed && known?.counted, changed ?? [])
    ranked.drafts.last = { layout: this.#runs, counted: this.#counted }
  }

  /** The tokens that were counted in the draft before, but for those of injections that print something else now. */
  #countedBefore(before: OwnTokens | undefined, changed: readonly string[]): OwnTokens {
    const { length } = this.#ranked.order
    if (before?.counter !== this.#counter) {
      const none = new Float64Array(length + 1).fill(-1)
      return { counter: this.#counter, own: none, least: none.slice(), together: undefined }
    }
    const counted = { ...before, own: before.own.slice(), least: before.least.slice() }
    for (const key of changed) {
      const number = this.numberOf(key)
      counted.own[number] = -1
      counted.least[number] = -1
      if (before.together && number >= before.together.from && number < before.together.to) counted.together = undefined
    }
    return counted
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
    const known = this.#counted.own[number] ?? -1
    return known < 0 ? this.#count(number).tokens : known
  }

  /** The tokens among {@link own} that no seam can take away. */
  least(number: number): number {
    const known = this.#counted.least[number] ?? -1
    return known < 0 ? this.#count(number).innerTokens : known
  }

  #count(number: number): PartTokens {
    const { first, next, starts, ends } = this.#runs
    let [tokens, innerTokens] = [0, 0]
    for (let run = first[number] ?? -1; run >= 0; run = next[run] ?? -1) {
      for (let at = starts[run] ?? 0; at < (ends[run] ?? 0); at++) {
        const part = this.#counter.part(this.#piecesOf(run)[at] ?? noPiece)
        tokens += part.tokens
        innerTokens += part.innerTokens
      }
    }
    this.#counted.own[number] = tokens
    this.#counted.least[number] = innerTokens
    return { tokens, innerTokens }
  }

  /** The tokens of what some injections print, joined in the order of the draft. */
  together({ from, to }: NumberRange): number {
    const before = this.#counted.together
    if (before?.from === from && before.to === to) return before.tokens
    const { first, next, starts, ends } = this.#runs
    const runs: number[] = []
    for (let number = from; number < to; number++)
      for (let run = first[number] ?? -1; run >= 0; run = next[run] ?? -1) runs.push(run)
    const pieces = runs.sort((a, b) => a - b).flatMap((run) => this.#piecesOf(run).slice(starts[run], ends[run]))
    const tokens = this.#counter.message(pieces)
    this.#counted.together = { from, to, tokens }
    return tokens
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
}

/** The keys under which messages print other pieces than before; `undefined` if some key stands at another place. */
function changedKeys(before: readonly DraftMessage[], messages: readonly DraftMessage[]): readonly string[] | undefined {
  if (before.length !== messages.length) return undefined
  const changed: string[] = []
  for (let index = 0; index < messages.length; index++) {
    const [known = [], pieces = []] = [before[index]?.pieces, messages[index]?.pieces]
    if (known.length !== pieces.length) return undefined
    for (let at = 0; at < pieces.length; at++) {
      const [old, own] = [known[at], pieces[at]]
      if (own === old) continue
      if (own?.key !== old?.key) return undefined
      changed.push(own?.key ?? "")
    }
  }
  return changed
}

const noPiece = { text: "" }
