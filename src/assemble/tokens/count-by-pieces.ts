import type { Countable, Growth, KnownText, MessageCounter } from "./counted-message.ts"
import type { Part, Tail } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import { messageStart, type Seam } from "./seam.ts"

/** Counts by the pieces of the parts and the seams between them: exactly the joined text's count, and nothing is split twice. */
export function countByPieces(store: PartStore): MessageCounter {
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
