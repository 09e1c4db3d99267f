import type { Injection } from "../../core/value.ts"
import type { Draft, DraftMessage, Piece } from "../draft/draft.ts"
import type { DraftSummary } from "../draft/draft-summary.ts"
import { type Gains, gainsOf } from "./cut-search.ts"
import type { KeyPlaces } from "./fit-options.ts"

/** A message's runs of pieces, and how many items are gone. */
interface PieceRange {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** Where the items of a run stand in a draft, and what each of them prints there. */
export class RunPlaces {
  /** By item, the tokens of what it prints, each piece by itself. */
  readonly ownTokens: readonly number[]
  /** Those that no neighbour takes away. */
  readonly #leastTokens: readonly number[]
  readonly #draft: Draft
  readonly #summary: DraftSummary
  readonly #places: KeyPlaces
  /** By the place of a key, which item of the run it is; above them all for what is none of them. */
  readonly #numbers: Uint32Array
  /** By run of pieces, which item printed it. */
  readonly #printers: Uint32Array

  constructor(
    run: readonly Injection[],
    { draft, summary, places }: { readonly draft: Draft; readonly summary: DraftSummary; readonly places: KeyPlaces },
  ) {
    this.#draft = draft
    this.#summary = summary
    this.#places = places
    this.#numbers = new Uint32Array(places.count).fill(run.length)
    for (let number = 0; number < run.length; number++) {
      const place = places.of.get(run[number]?.key ?? "")
      if (place !== undefined) this.#numbers[place] = number
    }
    this.#printers = new Uint32Array(summary.keys.length)
    const [own, least] = [new Array<number>(run.length).fill(0), new Array<number>(run.length).fill(0)]
    for (let at = 0; at < summary.keys.length; at++) {
      const number = this.#numberOf(summary.keys[at] ?? "") ?? run.length
      this.#printers[at] = number
      if (number === run.length) continue
      own[number] = (own[number] ?? 0) + (summary.ownTokens[at] ?? 0)
      least[number] = (least[number] ?? 0) + (summary.leastTokens[at] ?? 0)
    }
    this.ownTokens = own
    this.#leastTokens = least
  }

  /** About what the draft loses with the first ones of the run, where neighbours take so many tokens from each. */
  gains(loss: number): Gains {
    const tokens = loss === 0 ? this.ownTokens : this.ownTokens.map((own) => own - loss)
    return gainsOf(tokens, this.#leastTokens)
  }

  /** True for the key of one of the run's first items. */
  isOfFirst(key: string, count: number): boolean {
    return (this.#numberOf(key) ?? count) < count
  }

  /** The draft without the first ones of the run: as if composed, but for the white space where the first of a slot goes. */
  withoutFirst(count: number): Draft {
    const { messages, printed } = this.#draft
    let from = 0
    return {
      printed,
      messages: messages.map((message, index) => {
        const to = this.#summary.messageEnds[index] ?? from
        const pieces = this.#piecesOf(message, { from, to, count })
        from = to
        return pieces.length === message.pieces.length ? message : { ...message, pieces, written: undefined }
      }),
    }
  }

  #numberOf(key: string): number | undefined {
    const place = this.#places.of.get(key)
    return place === undefined ? undefined : this.#numbers[place]
  }

  #piecesOf({ pieces }: DraftMessage, { from, to, count }: PieceRange): readonly Piece[] {
    const kept: Piece[] = []
    let at = 0
    for (let run = from; run < to; run++) {
      const end = this.#summary.ends[run] ?? at
      const stays = (this.#printers[run] ?? count) >= count
      for (; at < end; at++) {
        const piece = stays ? pieces[at] : undefined
        if (piece) kept.push(piece)
      }
    }
    return kept
  }
}
