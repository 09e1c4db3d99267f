import type { KeyHits } from "./key-hits.ts"
import type { KeyIndex } from "./key-index.ts"
import type { Lorebook, LoreEntry } from "./lorebook.ts"
import { heldBySticky, type LoreTime } from "./timed.ts"
import type { LoreRefusal, LoreTurn } from "./turn.ts"

/** The number of newest messages that a book looks at if it names none. */
export const defaultDepth = 2

/** A book with all that is worked out once. */
export interface PreparedBook {
  readonly book: Lorebook
  readonly index: KeyIndex
  /** For each entry its place when the highest `order` stands first. */
  readonly rank: Int32Array
  readonly alwaysSeen: readonly number[]
  /** The levels of {@link LoreEntry.delayUntilRecursion}, ascending. */
  readonly levels: readonly number[]
  readonly places: ReadonlyMap<string, number>
  /** The number of newest messages that at least one entry looks at. */
  readonly depth: number
  /** The entries with a state that later turns need. */
  readonly timed: readonly LoreEntry[]
}

/** Everything that a scan has found out so far. */
export interface Progress {
  readonly prepared: PreparedBook
  readonly turn: LoreTurn
  readonly time: LoreTime
  readonly hits: KeyHits
  /** The entries that are in, by their place in the book. */
  readonly entered: Set<number>
  /** The last reason for which an entry is not in. */
  readonly refusals: Map<number, LoreRefusal>
  /** Entries whose refusal stands for the whole turn. */
  readonly settled: Set<number>
  /** Messages that are searched beyond the book's depth. */
  deeper: number
  isRecursing: boolean
  level: number
}

/** Reasons that nothing later in the turn takes away. */
export const lasting: ReadonlySet<LoreRefusal> = new Set<LoreRefusal>([
  "empty",
  "disabled",
  "conditions",
  "character",
  "delay",
  "cooldown",
])

/** The first reason for which an entry stays out; undefined if it enters. */
export function refusalOf(progress: Progress, at: number): LoreRefusal | undefined {
  const { prepared, turn, time, isRecursing, level } = progress
  const entry = prepared.book.entries[at] as LoreEntry
  const { delayUntilRecursion = 0, delay = 0, conditions } = entry
  if (entry.text.text.trim() === "") return "empty"
  if (entry.disabled === true) return "disabled"
  if (conditions?.force === "never") return "conditions"
  if (!isForCharacter(entry, turn)) return "character"
  if (conditions?.force === "always") return undefined
  if (!meetsConditions(entry, turn, time)) return "conditions"
  if (time.count < delay) return "delay"
  if (heldBySticky(entry, time)) return undefined
  if (time.isCooling(entry)) return "cooldown"
  if (delayUntilRecursion > 0 && (!isRecursing || delayUntilRecursion > level)) return "recursion"
  if (entry.constant === true || (conditions?.onceIn === "stay" && time.wasIn(entry))) return undefined
  return keyRefusal(progress, at)
}

function isForCharacter({ character: filter }: LoreEntry, { character }: LoreTurn): boolean {
  if (filter === undefined || character === undefined || filter.names.length + filter.tags.length === 0) return true
  const isNamed = filter.names.includes(character.name) || filter.tags.some((tag) => character.tags.includes(tag))
  return isNamed !== filter.exclude
}

function meetsConditions(entry: LoreEntry, turn: LoreTurn, time: LoreTime): boolean {
  const { answerCount, turnCount = 0, greeting, userIcon } = turn
  const { afterAnswers = 0, everyAnswers = 1, everyTurns = 1, onceIn, ...wanted } = entry.conditions ?? {}
  if (answerCount !== undefined && (answerCount < afterAnswers || answerCount % everyAnswers !== 0)) return false
  if (turnCount % everyTurns !== 0) return false
  if (onceIn === "leave" && time.wasIn(entry)) return false
  if (wanted.greeting !== undefined && greeting !== undefined && wanted.greeting !== greeting) return false
  return wanted.userIcon === undefined || userIcon === undefined || wanted.userIcon === userIcon
}

function keyRefusal(progress: Progress, at: number): LoreRefusal | undefined {
  const occurs = occurrences(progress, at)
  const { primary, secondary, required, excluded } = progress.prepared.index.entries[at] as KeyIndex["entries"][number]
  if (!primary.some(occurs)) return "key"
  if (!required.every((keys) => keys.some(occurs))) return "required key"
  if (excluded.some(occurs)) return "excluded key"
  if (secondary.length === 0) return undefined
  const logic = progress.prepared.book.entries[at]?.secondary?.logic ?? "andAny"
  const met = {
    andAny: () => secondary.some(occurs),
    notAll: () => !secondary.every(occurs),
    notAny: () => !secondary.some(occurs),
    andAll: () => secondary.every(occurs),
  }
  return met[logic]() ? undefined : "secondary key"
}

/** A test for the keys of one entry: does a key occur in the texts that the entry looks at? */
export function occurrences({ prepared, hits, deeper }: Progress, at: number) {
  const { scanDepth, excludeRecursion = false } = prepared.book.entries[at] as LoreEntry
  const depth = scanDepth ?? (prepared.book.scanDepth ?? defaultDepth) + deeper
  return hits.within(depth, !excludeRecursion)
}

/** The number of keys that occur, for groups that keep the best-matching entry. */
export function scoreOfKeys(progress: Progress, at: number): number {
  const occurs = occurrences(progress, at)
  const { primary, secondary } = progress.prepared.index.entries[at] as KeyIndex["entries"][number]
  const logic = progress.prepared.book.entries[at]?.secondary?.logic
  const first = primary.filter(occurs).length
  const second = secondary.filter(occurs).length
  const counts = logic === "andAny" || (logic === "andAll" && second === secondary.length)
  return first + (counts ? second : 0)
}
