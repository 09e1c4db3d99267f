import { Fingerprint } from "../../../core/fingerprint.ts"
import { type FoundKeys, type IndexedKey, type KeyIndex, knownTexts } from "./key-index.ts"
import type { LoreMessage, LoreTurn } from "./turn.ts"

/** The keys that occurred in the texts of one turn. */
export interface KeyHits {
  /** Searches the newest `depth` messages, as far as they are not searched yet. */
  readMessages(depth: number): void
  /** Searches the text of an entry that is in. */
  readLore(text: string): void
  /** The keys that occurred for the first time since the last call, in any form. */
  takeNew(): readonly number[]
  /** A test: does a key occur in the newest `depth` messages, or, `withLore`, in the text of an entry? */
  within(depth: number, withLore: boolean): (key: IndexedKey) => boolean
  /** The newest message in which a key occurs, or `lore`. */
  where(key: IndexedKey): number | "lore"
  /** Patterns that did not occur as far as they were searched for, and that were not searched for in all texts. */
  leftOut(): readonly number[]
}

/** The newest message that has a key, anywhere and as a whole word; and the same for the texts of entries. */
interface Hit {
  age: number
  wordAge: number
  inLore: boolean
  wordInLore: boolean
}

const never = Number.POSITIVE_INFINITY

/** The work that all patterns of a book may do in a turn, mostly a fifth of a second. It is counted, so that a slow machine leaves out no more. */
const maxPatternWork = 500_000_000

/** Searches each message and each text of an entry once, from the newest message to the oldest; those that are known not again. */
export function createKeyHits(index: KeyIndex, turn: LoreTurn, withNames: boolean): KeyHits {
  const { messages, patternWork = maxPatternWork, known = knownTexts() } = turn
  const work = { left: patternWork, leftOut: new Set<number>() }
  const hits = new Map<number, Hit>()
  let fresh: number[] = []
  let read = 0
  const hitOf = (key: number): Hit => {
    const known = hits.get(key)
    if (known) return known
    const hit: Hit = { age: never, wordAge: never, inLore: false, wordInLore: false }
    hits.set(key, hit)
    fresh.push(key)
    return hit
  }
  const keysIn = (text: string): FoundKeys["keys"] => {
    const name = `${text.length} ${new Fingerprint().add(text).digest()}`
    const found = known.made(name, (): FoundKeys => ({ keys: new Map(), next: undefined }), text.length)
    const { keys, next } = found
    found.next = index.search(text, work, (key, wholeWord) => keys.set(key, wholeWord || keys.get(key) === true), next)
    return keys
  }
  return {
    readMessages(depth) {
      for (; read < Math.min(depth, messages.length); read++) {
        const { speaker, text } = messages[messages.length - 1 - read] as LoreMessage
        for (const [key, wholeWord] of keysIn(withNames && speaker !== undefined ? `${speaker}: ${text}` : text)) {
          const hit = hitOf(key)
          if (hit.age === never) hit.age = read
          if (wholeWord && hit.wordAge === never) hit.wordAge = read
        }
      }
    },
    readLore(text) {
      for (const [key, wholeWord] of keysIn(text)) {
        const hit = hitOf(key)
        hit.inLore = true
        if (wholeWord) hit.wordInLore = true
      }
    },
    takeNew() {
      const taken = fresh
      fresh = []
      return taken
    },
    within: (depth, withLore) => (key) => {
      const hit = hits.get(key.id)
      if (hit === undefined) return false
      if ((key.wholeWord ? hit.wordAge : hit.age) < depth) return true
      return withLore && (key.wholeWord ? hit.wordInLore : hit.inLore)
    },
    where({ id, wholeWord }) {
      const hit = hits.get(id)
      const age = (wholeWord ? hit?.wordAge : hit?.age) ?? never
      return age === never ? "lore" : age
    },
    leftOut: () => [...work.leftOut].filter((key) => !hits.has(key)),
  }
}
