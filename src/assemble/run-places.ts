import type { Injection } from "../core/value.ts"
import { type Gains, gainsOf } from "./cut-search.ts"
import type { Draft, DraftMessage, Piece } from "./draft.ts"
import type { DraftSummary } from "./draft-summary.ts"

/** A message's runs of pieces, and how many items are gone. */
interface PieceRange {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** Where the items of a run stand in a draft, and what each of them prints there. */
export class RunPlaces {
  /** What the draft loses with the first ones of the run. */
  readonly gains: Gains
  /** By item, the tokens of what it prints, each piece by itself. */
  readonly ownTokens: readonly number[]
  readonly #draft: Draft
  readonly #summary: DraftSummary
  /** By run of pieces, the place of its item; above them all for what is none of them. */
  readonly #places: Uint32Array

  constructor(draft: Draft, summary: DraftSummary, run: readonly Injection[]) {
    this.#draft = draft
    this.#summary = summary
    this.#places = new Uint32Array(summary.keys.length).fill(run.length)
    const [own, least] = [new Array<number>(run.length).fill(0), new Array<number>(run.length).fill(0)]
    const placeOf = new Map<string, number>()
    for (let place = 0; place < run.length; place++) placeOf.set(run[place]?.key ?? "", place)
    for (let at = 0; at < summary.keys.length; at++) {
      const place = placeOf.get(summary.keys[at] ?? "")
      if (place === undefined) continue
      this.#places[at] = place
      own[place] = (own[place] ?? 0) + (summary.ownTokens[at] ?? 0)
      least[place] = (least[place] ?? 0) + (summary.leastTokens[at] ?? 0)
    }
    this.ownTokens = own
    this.gains = gainsOf(own, least)
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

  #piecesOf({ pieces }: DraftMessage, { from, to, count }: PieceRange): readonly Piece[] {
    const kept: Piece[] = []
    let at = 0
    for (let run = from; run < to; run++) {
      const end = this.#summary.ends[run] ?? at
      const stays = (this.#places[run] ?? count) >= count
      for (; at < end; at++) {
        const piece = stays ? pieces[at] : undefined
        if (piece) kept.push(piece)
      }
    }
    return kept
  }
}
