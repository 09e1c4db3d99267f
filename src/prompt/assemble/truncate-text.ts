import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { countCodePoints } from "../../core/graphemes.ts"
import { roughCounter, type TokenCounter } from "../../core/ports.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import { closedNotice, framedNotice } from "../encode/marked-text.ts"
import { cutPlaces, headShare } from "./cut/cut-places.ts"
import { type FenceAt, fencesOf } from "./cut/fences.ts"
import { largestSize } from "./fit/search.ts"
import { dialectNotices } from "./fit/shrink.ts"
import { type Countable, type MessageCounter, messageCounter } from "./tokens/message-counter.ts"
import { TextSlices } from "./tokens/text-slices.ts"

/** Options of {@link truncateText}. */
export interface TruncateOptions {
  /** Tokens that the result may have, with its notice. */
  readonly maxTokens?: number
  /** Characters (code points) of the text that may be left, not counting the notice. */
  readonly maxCharacters?: number
  /** The part that is left. Default: both ends. */
  readonly shrink?: "head" | "tail" | "headTail"
  /** Default: an estimate. */
  readonly counter?: TokenCounter
  /** Gives the notice that stands in place of what was cut. Default: that of the shipped dialects, in English. */
  readonly notice?: (counts: { readonly kept: number; readonly total: number }) => string
}

/** A text that is short enough. */
export interface TruncatedText {
  /** The given text, if nothing had to be cut. */
  readonly text: string
  readonly isCut: boolean
  /** Characters (code points) of the text that are left, and that it had. */
  readonly kept: number
  readonly total: number
}

/**
 * Cuts a text to a number of tokens or characters, no more than needed, and puts a visible notice in place of the rest. A cut
 * never splits a grapheme and never leaves a code fence open (S17). With a counter that has pieces, only the kept text is
 * counted. Pure. Throws `usage` if `maxTokens` has no room for the notice.
 */
export function truncateText(text: string, options: TruncateOptions): TruncatedText {
  checkType("the text of truncateText", text, "string")
  checkOptions("truncateText", options, { maxTokens: true, maxCharacters: true, shrink: true, counter: true, notice: true })
  const { maxTokens = Number.POSITIVE_INFINITY, maxCharacters = Number.POSITIVE_INFINITY } = options
  const total = countCodePoints(text)
  const cutter = new Cutter(text, total, options)
  if (total <= maxCharacters && cutter.fitsWhole(maxTokens)) return { text, isCut: false, kept: total, total }
  // N UTF-16 units are at most N characters. A text with surrogate pairs keeps a few characters fewer than it might.
  const most = Math.min(text.length - 1, maxCharacters)
  // Between two counts, so that the search halves a range in which the count stays the same.
  const bound = maxTokens + 0.5
  const guess = Math.min(most, cutter.guess(maxTokens))
  const size = largestSize({ least: 0, most, guess }, (at) => cutter.tokens(at) - bound)
  if (size === 0 && cutter.tokens(0) > maxTokens) throw noRoom(maxTokens, cutter.tokens(0))
  return cutter.at(size)
}

/** Cuts one text to any size, and counts the result. */
class Cutter {
  readonly #text: string
  readonly #total: number
  readonly #shrink: "head" | "tail" | "headTail"
  readonly #notice: (counts: { readonly kept: number; readonly total: number }) => string
  readonly #counter: MessageCounter
  readonly #slices: TextSlices | undefined
  readonly #longestToken: number | undefined
  readonly #fenceAt: FenceAt
  /** Code points up to the head's end, and up to the tail's start. */
  readonly #inHead: (end: number) => number
  readonly #beforeTail: (end: number) => number

  constructor(
    text: string,
    total: number,
    { shrink = "headTail", notice = defaultNotice, counter = roughCounter }: TruncateOptions,
  ) {
    this.#text = text
    this.#total = total
    this.#shrink = shrink
    this.#notice = notice
    this.#counter = messageCounter(counter)
    this.#slices = this.#counter.store ? new TextSlices(text, this.#counter.store) : undefined
    this.#longestToken = counter.longestToken
    this.#fenceAt = fencesOf(text)
    this.#inHead = codePointsUpTo(text, { at: 0, count: 0 })
    this.#beforeTail = codePointsUpTo(text, { at: text.length, count: total })
  }

  fitsWhole(maxTokens: number): boolean {
    if (maxTokens === Number.POSITIVE_INFINITY) return true
    return this.#slices ? !this.#slices.exceeds(maxTokens, this.#longestToken) : this.#counter.text(this.#text) <= maxTokens
  }

  guess(maxTokens: number): number {
    if (maxTokens === Number.POSITIVE_INFINITY) return this.#text.length
    if (!this.#slices) return Math.floor((this.#text.length * maxTokens) / Math.max(1, this.#counter.text(this.#text)))
    // Assumes that all of the text has about as many tokens per character, and that every notice is about as long.
    const room = Math.max(1, maxTokens - this.#counter.message([{ text: this.#parts(0).notice }]))
    const share = this.#shrink === "headTail" ? headShare : 1
    return Math.floor(this.#slices.unitsOf(Math.ceil(room * share)) / share)
  }

  tokens(size: number): number {
    const { head, notice, tail } = this.#parts(size)
    const parts: Countable[] = [{ text: notice }]
    if (head !== "") parts.unshift(this.#slices?.head(head.length) ?? { text: head })
    if (tail !== "") parts.push(this.#slices?.tail(this.#text.length - tail.length) ?? { text: tail })
    return this.#counter.message(parts)
  }

  at(size: number): TruncatedText {
    const { head, notice, tail, kept } = this.#parts(size)
    return { text: head + notice + tail, isCut: true, kept, total: this.#total }
  }

  #parts(size: number) {
    const { headEnd, tailStart } = cutPlaces(this.#text, this.#text, size, this.#shrink)
    const [head, tail] = [this.#text.slice(0, headEnd), this.#text.slice(tailStart)]
    const kept = this.#inHead(headEnd) + this.#total - this.#beforeTail(tailStart)
    const text = closedNotice(this.#notice({ kept, total: this.#total }), {
      before: head === "" ? undefined : this.#fenceAt(headEnd),
      after: tail === "" ? undefined : this.#fenceAt(tailStart),
    })
    return { head, notice: framedNotice({ head, notice: { text }, tail }), tail, kept }
  }
}

/** Counts the code points up to a place of a text, beginning at the place that was asked for before. */
function codePointsUpTo(text: string, known: { readonly at: number; readonly count: number }): (end: number) => number {
  let { at, count } = known
  return (end) => {
    count += end >= at ? countCodePoints(text.slice(at, end)) : -countCodePoints(text.slice(end, at))
    at = end
    return count
  }
}

function defaultNotice(counts: { readonly kept: number; readonly total: number }): string {
  return dialectNotices(shippedDialect("layered", "en")).truncated(counts).text
}

function noRoom(maxTokens: number, least: number): PromptStrataError {
  const message = `expected room for the notice of a cut, which takes ${least} tokens, found ${maxTokens}.`
  return new PromptStrataError("usage", message, { hint: `Allow ${least} tokens or more, or give a shorter notice.` })
}
