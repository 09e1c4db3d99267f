import type { Countable, Growth, MessageCounter } from "./counted-message.ts"
import type { Part, Tail } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import { messageStart, type Seam } from "./seam.ts"

/** Counts by the pieces of the parts and the seams between them: exactly the joined text's count, and nothing is split twice. */
export function countByPieces(store: PartStore): MessageCounter {
  const partOf = (given: Countable): Part => {
    if (given.known?.store === store) return given.known.part
    const part = store.part(given.text)
    given.known = { store, part }
    return part
  }
  const settle = (tail: Tail, part: Part, parts: readonly Countable[], index: number): Seam =>
    store.settleSeam(tail, part, () => joined(parts, index))
  /** The tokens of the parts joined; `upTo` gets them after each. */
  const walk = (parts: readonly Countable[], upTo?: number[]): number => {
    let tail = messageStart
    let tokens = 0
    for (let index = 0; index < parts.length; index++) {
      const given = parts[index]
      if (!given) break
      const part = partOf(given)
      const seam = store.knownSeam(tail, part) ?? settle(tail, part, parts, index)
      tail = seam.tail
      tokens += seam.tokens
      upTo?.push(tokens)
    }
    return tokens
  }
  return {
    store,
    text: (text) => store.part(text).tokens,
    part: (given) => partOf(given).tokens,
    least: (given) => partOf(given).innerTokens,
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
