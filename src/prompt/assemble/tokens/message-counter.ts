import { authored, Generations, type GrownList, growIn, Memo, memoKind } from "../../../core/memo.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import { isText, type SlotEntry, type SlotValue, type Trust } from "../../../core/value.ts"
import type { Part, Tail } from "./part.ts"
import { PartStore } from "./part-store.ts"
import { scanOf } from "./piece-window.ts"
import { messageStart, type Seam } from "./seam.ts"

const counters = memoKind<TokenCounter, MessageCounter>()
const authoredParts = memoKind<TokenCounter, PartStore>()

/**
 * The message counter for a token counter; a memo gives the same one for the same counter. A counter with pieces counts by pieces: exactly,
 * and no text twice. An exact counter without pieces counts each message whole. An estimate without pieces adds up estimates.
 */
export function messageCounter(counter: TokenCounter, memo = new Memo()): MessageCounter {
  return memo.made(counters, counter, makeCounter)
}

function makeCounter(counter: TokenCounter): MessageCounter {
  const scan = scanOf(counter)
  if (!scan) return counter.exact ? countWhole(counter) : countBySums(counter)
  const ofAuthors = authored.made(authoredParts, counter, () => new PartStore(scan))
  return countByPieces(new PartStore(scan, ofAuthors))
}

function withExtra(own: PartTokens, { extraTokens }: Countable): PartTokens {
  if (!extraTokens) return own
  return { tokens: own.tokens + extraTokens, innerTokens: own.innerTokens + extraTokens }
}

/** Counts the pieces of the parts and the seams between them. The sum is exactly the count of the joined text. */
function countByPieces(store: PartStore): MessageCounter {
  const known = (given: Countable): KnownText => {
    if (given.known?.store === store) return given.known
    // A joined piece has the trust of its first one.
    const part = store.part(given.text, given.trust === "author" && (!given.inner || given.isShared))
    const known: KnownText = { store, part, after: undefined, seam: undefined }
    if (!given.isShared) given.known = known
    return known
  }
  const settle = (tail: Tail, part: Part, parts: readonly Countable[], index: number): Seam =>
    store.knownSeam(tail, part) ?? store.settleSeam(tail, part, () => joined(parts, index))
  /** Counts the parts, joined. `upTo` receives the count after each part. */
  const walk = (parts: readonly Countable[], upTo?: number[]): number => {
    let tail = messageStart
    let tokens = 0
    for (let index = 0; index < parts.length; index++) {
      const given = parts[index]
      if (!given) break
      const own = known(given)
      const seam = own.after === tail && own.seam ? own.seam : settle(tail, own.part, parts, index)
      own.after = seam.isFar ? undefined : tail
      own.seam = seam
      tail = seam.tail
      tokens += seam.tokens + (given.extraTokens ?? 0)
      upTo?.push(tokens)
    }
    return tokens
  }
  return {
    store,
    memo: new Memo(),
    size: () => store.size,
    text: (text) => store.part(text).tokens,
    part: (given) => withExtra(known(given).part, given),
    message: (parts) => walk(parts),
    growth(parts) {
      const upTo: number[] = []
      const tokens = walk(parts, upTo)
      const shares = (): readonly number[] => {
        const all = apart(parts)
        if (all === parts) return sharesOf(upTo)
        const ofAll: number[] = []
        walk(all, ofAll)
        return sharesOf(ofAll)
      }
      return { tokens, shares, upTo: (count) => (count === 0 ? 0 : (upTo[count - 1] ?? 0)) }
    },
  }
}

/**
 * A part's share is the growth of the message with it. If a later part joins tokens of the text before it, so that the count
 * falls, the earlier parts get fewer tokens.
 */
function sharesOf(upTo: readonly number[]): readonly number[] {
  const shares = new Array<number>(upTo.length)
  let least = upTo.at(-1) ?? 0
  for (let index = upTo.length - 1; index >= 0; index--) {
    const before = Math.min(least, index === 0 ? 0 : (upTo[index - 1] ?? 0))
    shares[index] = least - before
    least = before
  }
  return shares
}

/** The limits of one generation; the map holds two. */
const estimateLimits = { entries: 16_384, weight: 4_194_304 }

/** By shared text, the sum of its parts, by counter. */
const sharedSums = memoKind<Countable, Memo>()
const sums = memoKind<TokenCounter, number>()

/** Adds up estimates of the parts. An estimate of the joined text would not be better. */
function countBySums(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(estimateLimits)
  // In 1024ths, of which a sum is the same in whatever order it is made.
  const estimate = (text: string): number =>
    known.made(text, () => Math.round((counter.estimate?.(text) ?? counter.count(text)) * 1024) / 1024, text.length)
  const sumOf = (part: Countable): number => {
    const { text, inner, extraTokens = 0, isShared } = part
    const sum = () => (inner ? inner.reduce((all, each) => all + sumOf(each), 0) : estimate(text) + extraTokens)
    return isShared ? authored.made(sharedSums, part, () => new Memo()).made(sums, counter, sum) : sum()
  }
  return {
    memo: new Memo(),
    size: () => known.weight,
    text: (text) => Math.ceil(estimate(text)),
    part(given) {
      const tokens = sumOf(given)
      return { tokens: Math.ceil(tokens), innerTokens: Math.floor(tokens) }
    },
    message: (parts) => Math.ceil(parts.reduce((sum, part) => sum + sumOf(part), 0)),
    growth(parts) {
      const upTo = [0]
      let sum = 0
      for (const part of parts) {
        sum += sumOf(part)
        upTo.push(Math.ceil(sum))
      }
      const shares = () => {
        let all = 0
        return apart(parts).map((part) => {
          const before = Math.ceil(all)
          all += sumOf(part)
          return Math.ceil(all) - before
        })
      }
      return { tokens: Math.ceil(sum), shares, upTo: (count) => upTo[count] ?? 0 }
    },
  }
}

/** The limits of one generation; the map holds two. */
const countLimits = { entries: 4096, weight: 4_194_304 }

/** Counts each message whole, for an exact counter without pieces. It is exact, but slower. */
function countWhole(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(countLimits)
  const text = (given: string): number => known.made(given, () => counter.count(given), given.length)
  const message = (parts: readonly Countable[]): number => {
    if (parts.length === 0) return 0
    const tokens = text(parts.map((part) => part.text).join(""))
    return parts.reduce((sum, { extraTokens = 0 }) => sum + extraTokens, tokens)
  }
  return {
    memo: new Memo(),
    size: () => known.weight,
    text,
    part: (part) => withExtra({ tokens: text(part.text), innerTokens: 0 }, part),
    message,
    growth(parts) {
      const tokens = message(parts)
      const all = apart(parts)
      const counts = () => all.map((part) => text(part.text) + (part.extraTokens ?? 0))
      const shares = () => (all.length === 1 ? [tokens] : scaled(counts(), tokens))
      return {
        tokens,
        shares,
        upTo: (count) => (count === parts.length ? tokens : message(parts.slice(0, count))),
      }
    },
  }
}

/** The counts, scaled so that their sum is `total`. A rounding error goes to the next count. */
function scaled(counts: readonly number[], total: number): readonly number[] {
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum === total) return counts
  let counted = 0
  let given = 0
  return counts.map((count) => {
    counted += sum === 0 ? 1 / counts.length : count
    const upTo = Math.round((counted * total) / (sum || 1))
    const share = upTo - given
    given = upTo
    return share
  })
}

/** A text that is counted. The results are kept with it, so that they need no look-up the next time. */
export interface Countable {
  readonly text: string
  readonly trust?: Trust
  /** Tokens of what stands behind the text, such as a picture. */
  readonly extraTokens?: number | undefined
  /** The texts that it joins, if it was made from several. */
  readonly inner?: readonly Countable[] | undefined
  /** True for a text that all sessions share: what is known of it in one of them is not kept with it. */
  readonly isShared?: true
  known?: KnownText | undefined
}

/** The parts, and in place of a joined one those that it was made from. */
export function apart<Part extends Countable>(
  parts: readonly (Part & { readonly inner?: readonly Part[] | undefined })[],
): readonly Part[] {
  return parts.some(({ inner }) => inner) ? parts.flatMap((part): readonly Part[] => part.inner ?? [part]) : parts
}

/** The text of the first `count` parts. */
export function joined(parts: readonly Countable[], count = parts.length): string {
  let text = ""
  for (let index = 0; index < count; index++) text += parts[index]?.text ?? ""
  return text
}

/** The part that a store has for a text, and the seam that it made the last time. */
interface KnownText {
  readonly store: PartStore
  readonly part: Part
  /** The text before it, when the seam was made. */
  after?: Tail | undefined
  seam?: Seam | undefined
}

/** The tokens of a part of a message, counted by itself. */
export interface PartTokens {
  readonly tokens: number
  /** The tokens that no text before or after it can take away. */
  readonly innerTokens: number
}

/** Counts messages that are made of parts. There is one implementation for each kind of `TokenCounter`. */
export interface MessageCounter {
  /** Counts a text by itself. */
  text(text: string): number
  /** Counts a part of a message by itself. */
  part(part: Countable): PartTokens
  /** Counts the parts, joined. */
  message(parts: readonly Countable[]): number
  /** Counts the parts joined, after each of them. */
  growth(parts: readonly Countable[]): Growth
  /** The remembered parts and seams; absent if the counter has no pieces. */
  readonly store?: PartStore
  /** Results that depend on how is counted. */
  readonly memo: Memo
  /** About the UTF-16 units of the texts whose counts are remembered. */
  readonly size: () => number
}

/** The growth of a message's count from part to part. */
export interface Growth {
  readonly tokens: number
  /**
   * The share of each part, and in place of a joined part those of the texts in it. No share is negative, and their sum is the
   * message's tokens. They are found when they are asked for.
   */
  readonly shares: () => readonly number[]
  /** The tokens of the first `count` parts joined. */
  upTo(count: number): number
}

const countedEntries = memoKind<SlotEntry, number>()

/** Tokens of an entry's values, each counted by itself: about what the entry takes, wherever it is printed. */
function entryTokens(entry: SlotEntry, counter: MessageCounter): number {
  return counter.memo.made(countedEntries, entry, () => {
    let tokens = 0
    for (const value of Object.values(entry)) tokens += valueTokens(value, counter)
    return tokens
  })
}

const countedLists = memoKind<SlotEntry, GrownList<SlotEntry, number>>()

/** For each entry, the tokens of the list up to its end, by {@link entryTokens}. Read it at once: the next call may change it. */
export function tokensUpTo(entries: readonly SlotEntry[], counter: MessageCounter): readonly number[] {
  return growIn(counter.memo, countedLists, entries, (entry, before = 0) => before + entryTokens(entry, counter))
}

/** Tokens of a value's texts, each counted by itself. */
export function valueTokens(value: SlotValue, counter: MessageCounter): number {
  if (typeof value === "boolean") return 0
  if (typeof value === "string") return counter.text(value)
  if (!isText(value)) return value.reduce((sum, entry) => sum + entryTokens(entry, counter), 0)
  const tokens = counter.text(value.text)
  return value.parts ? value.parts.reduce((sum, part) => sum + part.tokens, tokens) : tokens
}
