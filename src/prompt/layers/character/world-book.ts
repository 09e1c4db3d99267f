import { mulberry32 } from "../../../core/mulberry.ts"
import type { KnownTexts } from "../lorebook/key-index.ts"
import type { Lorebook, LoreEntry } from "../lorebook/lorebook.ts"
import { createLoreScanner } from "../lorebook/scan.ts"
import type { LoreState } from "../lorebook/timed.ts"

/** The texts and the place of a turn, and limits for what it may show of the book. */
export interface WorldBookSearch {
  /** The messages that a prompt can show and the question, oldest first. */
  readonly texts: readonly string[]
  readonly maxEntries: number
  /** Characters (UTF-16 units) of all entries together, titles included. */
  readonly maxCharacters: number
  /** The turn's number in its conversation, from 0. */
  readonly turn: number
  /** The turn's chance depends on it alone: a turn that is repeated has the same. */
  readonly turnId: string
  /** The state that the search of the turn before returned. */
  readonly state: LoreState
  /** The texts that turns before this one searched. */
  readonly known?: KnownTexts | undefined
}

/** The entries for a turn, in the order in which they are printed, and those for which there was no room. */
export interface FoundEntries {
  readonly entries: readonly LoreEntry[]
  readonly leftOut: readonly LoreEntry[]
  /** {@link LoreScan.cut} */
  readonly cut: string | undefined
  readonly state: LoreState
}

export type WorldBook = (search: WorldBookSearch) => FoundEntries

/**
 * Creates a book of entries. Their keys are searched for in the newest `scanDepth` texts. An entry for which there
 * is no room is passed over: constant entries are kept longest, then others by priority.
 */
export function createWorldBook(book: Lorebook): WorldBook {
  const scanner = createLoreScanner(book)
  const sizeOf = ({ title = "", text }: LoreEntry): number => title.length + text.text.length
  return ({ texts, maxEntries, maxCharacters, turn, turnId, state, known }) => {
    const found = scanner.scan({
      messages: texts.map((text) => ({ text })),
      // Each turn before this one has a question and an answer.
      messageCount: 2 * turn + 1,
      answerCount: turn,
      state,
      known,
      random: mulberry32(turnId),
      room: { max: maxCharacters, maxEntries, sizeOf, passOver: true },
    })
    const leftOut = found.reports.filter(({ outcome }) => outcome === "room").map(({ entry }) => entry)
    return { ...found, leftOut: leftOut.sort((a, b) => a.order - b.order) }
  }
}
