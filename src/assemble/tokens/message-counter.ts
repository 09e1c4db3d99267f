import type { TokenCounter } from "../../core/ports.ts"
import type { Countable, Growth, KnownText, MessageCounter } from "./counted-message.ts"
import { Generations } from "./generations.ts"
import type { Part, Tail } from "./part.ts"
import { PartStore } from "./part-store.ts"
import { scanOf } from "./piece-window.ts"
import { messageStart, type Seam } from "./seam.ts"

const counters = new WeakMap<TokenCounter, MessageCounter>()

/**
 * The message counter of a counter. By pieces where it has them: exact, and no text twice. An exact one without pieces counts
 * each message whole; an estimate without pieces adds up its estimates of the texts.
 */
export function messageCounter(counter: TokenCounter): MessageCounter {
  const known = counters.get(counter)
  if (known) return known
  const scan = scanOf(counter)
  const made = scan ? countByPieces(new PartStore(scan)) : counter.exact ? countWhole(counter) : countBySums(counter)
  counters.set(counter, made)
  return made
}

/** Counts by the pieces of the parts and the seams between them: exactly the joined text's count, and nothing is split twice. */
function countByPieces(store: PartStore): MessageCounter {
  const known = (given: Countable): KnownText => {
    if (given.known?.store === store) return given.known
    given.known = { store, part: store.part(given.text), after: undefined, seam: undefined }
    return given.known
  }
  const settle = (tail: Tail, part: Part, parts: readonly Countable[], index: number): Seam =>
    store.knownSeam(tail, part) ?? store.settleSeam(tail, part, () => joined(parts, index))
  /** The tokens of the parts joined; `upTo` gets them after each. */
  const walk = (parts: readonly Countable[], upTo?: number[]): number => {
    let tail = messageStart
    let tokens = 0
    for (let index = 0; index < parts.length; index++) {
      const given = parts[index]
      if (!given) break
      const own = known(given)
      const seam = own.after === tail && own.seam ? own.seam : settle(tail, own.part, parts, index)
      own.after = tail
      own.seam = seam
      tail = seam.tail
      tokens += seam.tokens
      upTo?.push(tokens)
    }
    return tokens
  }
  return {
    store,
    text: (text) => store.part(text).tokens,
    part: (given) => known(given).part,
    message: (parts) => walk(parts),
    growth(parts) {
      const upTo: number[] = []
      walk(parts, upTo)
      return growthOf(upTo)
    },
  }
}

function joined(parts: readonly Countable[], count: number): string {
  let text = ""
  for (let index = 0; index < count; index++) text += parts[index]?.text ?? ""
  return text
}

/**
 * A part's share is by how much the message grows with it. Where a later part makes fewer tokens of what stood before, the
 * parts before it have those fewer.
 */
function growthOf(upTo: readonly number[]): Growth {
  const shares = new Array<number>(upTo.length)
  let least = upTo.at(-1) ?? 0
  for (let index = upTo.length - 1; index >= 0; index--) {
    const before = Math.min(least, index === 0 ? 0 : (upTo[index - 1] ?? 0))
    shares[index] = least - before
    least = before
  }
  return { tokens: upTo.at(-1) ?? 0, shares, upTo: (count) => (count === 0 ? 0 : (upTo[count - 1] ?? 0)) }
}

/** Half of what is remembered. */
const estimateLimits = { entries: 16_384, weight: 4_194_304 }

/** Adds up estimates of the texts: an estimate of the joined text would be no better. */
function countBySums(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(estimateLimits)
  const estimate = (text: string): number => {
    const before = known.get(text, text.length)
    if (before !== undefined) return before
    const tokens = counter.estimate?.(text) ?? counter.count(text)
    known.set(text, tokens, text.length)
    return tokens
  }
  const message = (parts: readonly Countable[]): number => Math.ceil(parts.reduce((sum, { text }) => sum + estimate(text), 0))
  return {
    text: (text) => Math.ceil(estimate(text)),
    part({ text }) {
      const tokens = estimate(text)
      return { tokens: Math.ceil(tokens), innerTokens: Math.floor(tokens) }
    },
    message,
    growth(parts) {
      const upTo = [0]
      let sum = 0
      for (const { text } of parts) {
        sum += estimate(text)
        upTo.push(Math.ceil(sum))
      }
      return {
        tokens: upTo[parts.length] ?? 0,
        shares: parts.map((_, index) => (upTo[index + 1] ?? 0) - (upTo[index] ?? 0)),
        upTo: (count) => upTo[count] ?? 0,
      }
    },
  }
}

/** Half of what is remembered. */
const countLimits = { entries: 4096, weight: 4_194_304 }

/** Counts each message whole, for a counter that says nothing of pieces: exact, at the price of whole counts. */
function countWhole(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(countLimits)
  const text = (given: string): number => {
    const before = known.get(given, given.length)
    if (before !== undefined) return before
    const tokens = counter.count(given)
    known.set(given, tokens, given.length)
    return tokens
  }
  const message = (parts: readonly Countable[]): number =>
    parts.length === 0 ? 0 : text(parts.map((part) => part.text).join(""))
  return {
    text,
    part: (part) => ({ tokens: text(part.text), innerTokens: 0 }),
    message,
    growth(parts) {
      const tokens = message(parts)
      const counts = parts.length === 1 ? [tokens] : parts.map((part) => text(part.text))
      return {
        tokens,
        shares: scaled(counts, tokens),
        upTo: (count) => (count === parts.length ? tokens : message(parts.slice(0, count))),
      }
    },
  }
}

/** The counts, scaled to sum to `total`; what rounding takes from one goes to the next. */
function scaled(counts: readonly number[], total: number): readonly number[] {
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum === total) return counts
  let counted = 0
  let given = 0
  return counts.map((count, index) => {
    counted += sum === 0 ? 1 / counts.length : count
    const upTo = index === counts.length - 1 ? total : Math.round((counted * total) / (sum || 1))
    const share = upTo - given
    given = upTo
    return share
  })
}
