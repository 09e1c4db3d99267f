import type { RandomSource } from "../../../core/ports.ts"
import type { LoreEntry } from "./lorebook.ts"

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
export function chooseInGroups(fit: readonly number[], choice: GroupChoice): ReadonlySet<number> {
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
