import type { RandomSource } from "../../../core/ports.ts"
import { defaultDepth, lasting, occurrences, type PreparedBook, type Progress, refusalOf, scoreOfKeys } from "./judge.ts"
import { createKeyHits } from "./key-hits.ts"
import { indexKeys, type RefusedKey } from "./key-index.ts"
import type { Lorebook, LoreEntry } from "./lorebook.ts"
import { fitRoom } from "./room.ts"
import { heldBySticky, isTimed, type LoreState, nextState, timeOf } from "./timed.ts"
import type { LoreReport, LoreTurn } from "./turn.ts"

/** Entries that could enter, in the order in which chance is asked, and what their groups depend on. */
interface GroupChoice {
  readonly entries: readonly LoreEntry[]
  /** The entries that are in already. */
  readonly entered: ReadonlySet<number>
  isHeld(at: number): boolean
  scoreOf(at: number): number
  readonly random: RandomSource
}

/**
 * Leaves one entry of each group (C17), and every entry without a group. An entry that is in already, or that is held by its sticky
 * time, keeps its group. Otherwise the best-matching entries are kept where one of them asks for it; then the highest `order` wins
 * among those that override, else chance by weight.
 */
function chooseInGroups(fit: readonly number[], choice: GroupChoice): ReadonlySet<number> {
  const { entries, entered, isHeld, scoreOf, random } = choice
  const left = new Set(fit)
  const groupsOf = (at: number) => entries[at]?.groups ?? []
  const taken = new Set([...entered].flatMap(groupsOf))
  for (const group of new Set(fit.flatMap(groupsOf))) {
    let members = fit.filter((at) => left.has(at) && groupsOf(at).includes(group))
    const all = members
    if (taken.has(group)) members = []
    const held = members.filter(isHeld)
    if (held.length > 0) members = held
    if (members.length > 1 && members.some((at) => entries[at]?.groupScoring)) members = bestOf(members, entries, scoreOf)
    if (members.length > 1) members = [winnerOf(members, entries, random)]
    for (const at of all) if (!members.includes(at)) left.delete(at)
  }
  return left
}

/** Without the entries that ask for scoring and have fewer matching keys than another. */
function bestOf(members: readonly number[], entries: readonly LoreEntry[], scoreOf: (at: number) => number): number[] {
  const best = Math.max(...members.map(scoreOf))
  return members.filter((at) => entries[at]?.groupScoring !== true || scoreOf(at) === best)
}

/** Members stand with the highest order first. */
function winnerOf(members: readonly number[], entries: readonly LoreEntry[], random: RandomSource): number {
  const first = members[0] as number
  const overriding = members.find((at) => entries[at]?.groupOverride === true)
  if (overriding !== undefined) return overriding
  const weightOf = (at: number) => Math.max(0, entries[at]?.groupWeight ?? 100)
  let rest = random() * members.reduce((sum, at) => sum + weightOf(at), 0)
  for (const at of members) {
    rest -= weightOf(at)
    if (rest < 0) return at
  }
  return first
}

/** The entries that are in, in the order in which they are printed, and how that came about. */
export interface LoreScan {
  readonly entries: readonly LoreEntry[]
  readonly state: LoreState
  /** In the order of the book. Entries of which no key occurred are not among them. */
  readonly reports: readonly LoreReport[]
  /** A sentence for the turn's trace if there was too much work for some patterns; else undefined. */
  readonly cut: string | undefined
}

/** A book that is ready to be searched. */
export interface LoreScanner {
  /** Patterns that cannot be searched for. */
  readonly refused: readonly RefusedKey[]
  scan(turn: LoreTurn): LoreScan
}

/** Prepares a book for being searched in many turns. Its work grows with the characters of all keys. */
export function createLoreScanner(book: Lorebook): LoreScanner {
  const index = indexKeys(book.entries, book.ignoreAccents)
  const byOrder = [...book.entries.keys()].sort((a, b) => orderOf(book, b) - orderOf(book, a) || a - b)
  const rank = new Int32Array(byOrder.length)
  for (const [place, at] of byOrder.entries()) rank[at] = place
  const prepared: PreparedBook = {
    book,
    index,
    rank,
    alwaysSeen: byOrder.filter((at) => needsNoKey(book.entries[at] as LoreEntry)),
    levels: [...new Set(book.entries.map(({ delayUntilRecursion = 0 }) => delayUntilRecursion))]
      .filter((level) => level > 0)
      .sort((a, b) => a - b),
    places: new Map(book.entries.map(({ id }, at) => [id, at])),
    depth: deepestOf(book),
    timed: book.entries.filter(isTimed),
  }
  return { refused: index.refused, scan: (turn) => scanBook(prepared, turn) }
}

function orderOf({ entries }: Lorebook, at: number): number {
  return entries[at]?.order ?? 0
}

function needsNoKey({ constant, conditions }: LoreEntry): boolean {
  return constant === true || conditions?.force !== undefined || conditions?.onceIn === "stay"
}

function scanBook(prepared: PreparedBook, turn: LoreTurn): LoreScan {
  const { book, levels, places } = prepared
  const time = timeOf(turn)
  const progress: Progress = {
    prepared,
    turn,
    time,
    hits: createKeyHits(prepared.index, turn, book.withNames === true),
    entered: new Set(),
    refusals: new Map(),
    settled: new Set(),
    deeper: 0,
    isRecursing: false,
    level: levels[0] ?? 0,
  }
  const sticky = Object.keys(turn.state ?? {}).flatMap((id) => places.get(id) ?? [])
  const seen = new Set([...prepared.alwaysSeen, ...sticky])
  progress.hits.readMessages(prepared.depth)
  const unread = enterInPasses(progress, seen)
  const chosen = fitRoom([...progress.entered], book.entries, turn.room)
  for (const at of progress.entered) if (!chosen.has(at)) progress.refusals.set(at, "room")
  const printed = [...chosen].sort((a, b) => orderOf(book, a) - orderOf(book, b) || (book.lastFirst === true ? b - a : a - b))
  const entries = printed.map((at) => book.entries[at] as LoreEntry)
  const reports = reportsOf(progress, chosen)
  const cut = cutOf(progress)
  // Last, because it searches texts that let nobody in.
  for (const at of calledBy(progress, unread)) reports.set(at, reportOf(progress, at, "max recursion"))
  const inOrder = [...reports].sort(([a], [b]) => a - b).map(([, report]) => report)
  return { entries, state: nextState(prepared.timed, entries, time), reports: inOrder, cut }
}

function cutOf({ hits, prepared }: Progress): string | undefined {
  const left = hits.leftOut()
  if (left.length === 0) return undefined
  const shown = left.slice(0, 3).map((key) => prepared.index.labels[key]?.slice(0, 80))
  return `The texts are too long for so many patterns: ${left.length} were not searched for in all of them, such as ${shown.join(", ")}.`
}

function deepestOf({ entries, scanDepth = defaultDepth }: Lorebook): number {
  return entries.reduce((deepest, { scanDepth: own = scanDepth }) => Math.max(deepest, own), scanDepth)
}

const defaultRecursion = 10

/**
 * Looks at entries until nothing changes: each pass may let in entries whose text lets in others (C17). Returns those whose text was
 * not searched, because the book's limit of steps was reached.
 */
function enterInPasses(progress: Progress, seen: Set<number>): readonly number[] {
  const { prepared, hits, turn, entered, settled } = progress
  const { book, index, rank } = prepared
  const { recursive = false, maxRecursion = defaultRecursion, minEntries = 0, scanDepth = defaultDepth } = book
  const maxDepth = Math.min(book.maxDepth ?? Number.POSITIVE_INFINITY, turn.messages.length)
  const laterLevels = prepared.levels.slice(1)
  const unread: number[] = []
  for (let steps = 0; ; ) {
    for (const key of hits.takeNew()) for (const at of index.users[key] ?? []) seen.add(at)
    const open = [...seen].filter((at) => !entered.has(at) && !settled.has(at)).sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0))
    const added = enter(progress, open)
    const texts = added.filter((at) => book.entries[at]?.preventRecursion !== true)
    if (recursive && steps >= maxRecursion) unread.push(...texts)
    if (recursive && texts.length > 0 && steps < maxRecursion) {
      steps++
      progress.isRecursing = true
      for (const at of texts) hits.readLore(recursionTextOf(book.entries[at] as LoreEntry, turn))
    } else if (entered.size < minEntries && scanDepth + progress.deeper < maxDepth) {
      progress.deeper++
      hits.readMessages(scanDepth + progress.deeper)
    } else if (recursive && laterLevels.length > 0 && steps < maxRecursion) {
      steps++
      progress.isRecursing = true
      progress.level = laterLevels.shift() ?? 0
    } else return unread
  }
}

/** The entries that the texts of some others would let in. */
function calledBy(progress: Progress, others: readonly number[]): readonly number[] {
  const { prepared, hits, turn, entered, refusals, settled } = progress
  if (others.length === 0) return []
  progress.isRecursing = true
  for (const at of others) hits.readLore(recursionTextOf(prepared.book.entries[at] as LoreEntry, turn))
  const called = hits.takeNew().flatMap((key) => prepared.index.users[key] ?? [])
  return [...new Set([...called, ...refusals.keys()])].filter(
    (at) => !entered.has(at) && !settled.has(at) && refusalOf(progress, at) === undefined,
  )
}

function recursionTextOf(entry: LoreEntry, { recursionText }: LoreTurn): string {
  return recursionText?.(entry) ?? entry.text.text
}

/** Lets in those of some entries that nothing keeps out. Returns them. */
function enter(progress: Progress, open: readonly number[]): readonly number[] {
  const { prepared, turn, time, entered, refusals, settled } = progress
  const { entries } = prepared.book
  const fit: number[] = []
  for (const at of open) {
    const refusal = refusalOf(progress, at)
    if (refusal === undefined) fit.push(at)
    else {
      refusals.set(at, refusal)
      if (lasting.has(refusal)) settled.add(at)
    }
  }
  const isHeld = (at: number) => heldBySticky(entries[at] as LoreEntry, time)
  const scoreOf = (at: number) => scoreOfKeys(progress, at)
  const winners = chooseInGroups(fit, { entries, entered, isHeld, scoreOf, random: turn.random })
  const added: number[] = []
  for (const at of fit) {
    const { probability = 100 } = entries[at] as LoreEntry
    const refusal = winners.has(at) ? undefined : "group"
    const isUnlucky = refusal === undefined && probability < 100 && !isHeld(at) && turn.random() * 100 >= probability
    if (refusal === undefined && !isUnlucky) {
      entered.add(at)
      added.push(at)
    } else {
      refusals.set(at, refusal ?? "probability")
      settled.add(at)
    }
  }
  return added
}

/** The reports of the entries that were looked at, by their place in the book. */
function reportsOf(progress: Progress, chosen: ReadonlySet<number>): Map<number, LoreReport> {
  const looked = [...new Set([...progress.refusals.keys(), ...chosen])]
  return new Map(looked.map((at) => [at, reportOf(progress, at, chosen.has(at) ? "in" : (progress.refusals.get(at) ?? "key"))]))
}

function reportOf(progress: Progress, at: number, outcome: LoreReport["outcome"]): LoreReport {
  const { book, index } = progress.prepared
  const entry = book.entries[at] as LoreEntry
  const found = index.entries[at]?.primary.find(occurrences(progress, at))
  if (found === undefined) return { entry, outcome }
  return { entry, outcome, key: index.labels[found.id] ?? "", where: progress.hits.where(found) }
}
