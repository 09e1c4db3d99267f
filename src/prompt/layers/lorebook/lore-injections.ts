import { priority, type TrustedText } from "../../../core/value.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { LoreEntry, LorePosition } from "./lorebook.ts"
import { byWorth } from "./room.ts"

/**
 * The place of entries in a prompt (C20). `end`: behind the history, where they break nothing that a provider caches; entries that are
 * always in keep their own place, and so do those for which the profile's author wrote one. `card`: each at its own place.
 */
export type LorePlace = "end" | "card"

/** An entry that is in. */
export interface PlacedLore {
  readonly entry: LoreEntry
  /** Its text with macros filled in. */
  readonly text: TrustedText
  /** Unique among the turn's entries: letters, digits and dots. */
  readonly name: string
  /** `session` for a text that the next turn's prompt has as well, at the same place. */
  readonly stability?: "session" | undefined
}

/** Lore is cut soon after memories. */
const rank = 30

/**
 * An injection for each entry, in the order in which they are printed (C14). Its key is the slot of its position and its name. When the
 * budget is short, the entries that are worth least give way first, whole (C15).
 */
export function loreInjections(placed: readonly PlacedLore[], place: LorePlace): ReadonlyMap<LoreEntry, InjectionInput> {
  const worth = [...placed].sort((a, b) => byWorth(a.entry, b.entry))
  const ranks = new Map(worth.map((item, at) => [item, rank + at / worth.length]))
  const made = placed.map((item): [LoreEntry, InjectionInput] => {
    const { entry, text, name, stability } = item
    const fit = { rank: ranks.get(item) ?? rank, shrink: "drop" } as const
    const key = `${slotOf(entry, place)}/${name}`
    return [entry, { key, content: text, stability, fit }]
  })
  // Where several depths share a block, what stands deeper in the history stands earlier.
  made.sort(([a, one], [b, other]) => heightOf(b, other) - heightOf(a, one))
  return new Map(made.map(([entry, item], at) => [entry, { ...item, priority: priority.worldBook + at / made.length }]))
}

/** The slots of positions. All others stand behind the character. */
const slots: Partial<Record<LorePosition["at"], string>> = {
  beforeCharacter: "lorebook.before",
  beforeExamples: "lorebook.examples_top",
  afterExamples: "lorebook.examples_bottom",
  noteTop: "lorebook.note",
  noteBottom: "lorebook.note",
}

function slotOf(entry: LoreEntry, place: LorePlace): string {
  const { position = { at: "afterCharacter" } } = entry
  if (position.at === "outlet" && /^\w{1,40}$/.test(position.name)) return `outlet.${position.name}`
  const isOwn = entry.text.trust === "author" && entry.position !== undefined
  if (place === "end" && !isOwn && !isBehindHistory(position) && !isSteady(entry)) return "lorebook"
  if (position.at !== "depth") return slots[position.at] ?? "lorebook.after"
  const { depth, fromStart, role } = position
  // From the beginning, the places count -1, -2, …
  if (fromStart) return `lorebook.depth/${-1 - depth}.${role}`
  return depth === 0 ? "lorebook.last" : `lorebook.depth/${depth}.${role}`
}

function isBehindHistory(position: LorePosition): boolean {
  if (position.at === "depth") return !position.fromStart && position.depth < 2
  return position.at === "noteTop" || position.at === "noteBottom"
}

/** True for an entry that is in at every turn and at one place, so that it breaks no prefix. */
export function isSteady(entry: LoreEntry): boolean {
  const { constant, conditions, probability = 100, delay = 0, cooldown = 0, groups = [], delayUntilRecursion = 0 } = entry
  const isForced = constant === true ? conditions === undefined : conditions?.force === "always"
  const isChanging = entry.position?.at === "depth" || probability < 100 || delay + cooldown + delayUntilRecursion > 0
  return isForced && !isChanging && groups.length === 0
}

/** True for an entry that every turn has before the history, so that a provider's cache can serve it. */
export function isCacheable(entry: LoreEntry): boolean {
  return isSteady(entry) && !(entry.position && isBehindHistory(entry.position))
}

/** Lower stands later in the same slot. */
function heightOf({ position }: LoreEntry, { key }: InjectionInput): number {
  if (position?.at === "depth" && !position.fromStart && !key.startsWith("lorebook/")) return position.depth
  return position?.at === "noteBottom" ? -1 : 0
}
