import { checkOptions } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { firstStabilityDays, retrievability } from "../../core/retrievability.ts"
import {
  type DecayPreset,
  type DecaySettings,
  daysBetween,
  decayPresets,
  type ForgettingClock,
  type Moment,
  reviewStability,
  type UseKind,
} from "./decay.ts"
import type { NamedItem } from "./pulled.ts"
import { topOf } from "./ranking.ts"

/** An item of a workspace: plain JSON. Its id is unique in the workspace, and its text is what a prompt shows. */
export interface WorkspaceItem extends NamedItem {
  /** Days until its retrievability is 0.9. */
  readonly stability: number
  /** When it was put in. */
  readonly added: Moment
  /** When it last came up. Its retrievability falls from then on. */
  readonly recalled: Moment
  /** Its own difficulty: the higher, the less a recall strengthens it. */
  readonly difficulty?: number
  /** Data that the owner of the workspace keeps with it. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** An item, and how well it is remembered now. */
export interface RememberedItem extends WorkspaceItem {
  readonly retrievability: number
}

/** How a workspace forgets. */
export interface ForgettingWorkspaceOptions {
  /** Default `workspace`. */
  readonly preset?: DecayPreset
  /** These numbers replace the preset's, one by one. */
  readonly settings?: Partial<DecaySettings>
  /** Default: days. */
  readonly clock?: ForgettingClock
  /** Items with a lower retrievability are evicted. Default 0.3. */
  readonly evictBelow?: number
  /** Of more items the least remembered are evicted. Default 10,000. */
  readonly maxItems?: number
  /** The items of an earlier workspace, from {@link ForgettingWorkspace.items}. */
  readonly items?: readonly WorkspaceItem[]
}

/** The ids of the items that a turn used (R16). Unknown ids are allowed, because a model may name anything. */
export interface UseReport {
  readonly used: readonly string[]
  readonly maybeUsed: readonly string[]
}

/** Things at hand, which fade when they are not used (R15–R18). It holds the names of files, never their contents. */
export interface ForgettingWorkspace {
  readonly size: number
  /** Puts an item in. If the id is known, its text is replaced, and the item counts as used. */
  put(item: NamedItem & Partial<Pick<WorkspaceItem, "difficulty" | "data">>, now: Moment): void
  remove(id: string): boolean
  /** Strengthens the items that came up. The others only age. Returns the ids that are unknown. */
  report(report: UseReport, now: Moment): readonly string[]
  /** Removes faded items and returns them, the least remembered first. */
  evict(now: Moment): readonly RememberedItem[]
  /** All items, the best remembered first, equal ones in the order in which they were put in. */
  remembered(now: Moment): readonly RememberedItem[]
  /** The best remembered items, at most `limit`, in one pass over all. */
  best(now: Moment, limit: number): readonly RememberedItem[]
  /** The state as plain JSON, in the order in which items were put in. */
  items(): readonly WorkspaceItem[]
}

const defaults = { evictBelow: 0.3, maxItems: 10_000, clock: { by: "days" } } as const

/** Makes a workspace. Throws `usage` when two of the given items have the same id. */
export function createWorkspace(options: ForgettingWorkspaceOptions = {}): ForgettingWorkspace {
  checkOptions("createWorkspace", options, { ...defaults, preset: true, settings: true, items: true })
  checkOptions("settings of createWorkspace", options.settings ?? {}, decayPresets.workspace)
  return new DecayingWorkspace(options)
}

class DecayingWorkspace implements ForgettingWorkspace {
  readonly #options: ForgettingWorkspaceOptions & typeof defaults
  readonly #items = new Map<string, WorkspaceItem>()

  constructor(options: ForgettingWorkspaceOptions) {
    this.#options = { ...defaults, ...options } as ForgettingWorkspaceOptions & typeof defaults
    for (const item of options.items ?? []) {
      const { id } = item
      const before = this.#items.size
      if (this.#items.set(id, item).size === before)
        throw new PromptStrataError("usage", `Expected items with different ids, found two called ${JSON.stringify(id)}.`, {
          evidence: { id },
        })
    }
  }

  get size(): number {
    return this.#items.size
  }

  put(given: NamedItem & Partial<WorkspaceItem>, now: Moment): void {
    const before = this.#items.get(given.id)
    if (before === undefined) {
      this.#items.set(given.id, { stability: firstStabilityDays, added: now, recalled: now, ...given })
      return
    }
    this.#items.set(given.id, { ...before, ...given })
    this.#review(given.id, "used", now)
  }

  remove(id: string): boolean {
    return this.#items.delete(id)
  }

  report({ used, maybeUsed }: UseReport, now: Moment): readonly string[] {
    const certain = new Set(used)
    const perhaps = new Set(maybeUsed.filter((id) => !certain.has(id)))
    for (const id of certain) this.#review(id, "used", now)
    for (const id of perhaps) this.#review(id, "maybe-used", now)
    return [...certain, ...perhaps].filter((id) => !this.#items.has(id))
  }

  evict(now: Moment): readonly RememberedItem[] {
    const { evictBelow, maxItems } = this.#options
    const strength = (item: WorkspaceItem) => this.#retrievability(item, now)
    const faded: WorkspaceItem[] = []
    for (const item of this.#items.values()) if (strength(item) < evictBelow) faded.push(item)
    for (const { id } of faded) this.#items.delete(id)
    const [all, count] = [this.#items.values(), this.size - maxItems]
    const surplus = count > 0 ? topOf([...all].reverse(), count, (item) => -strength(item)) : []
    for (const { id } of surplus) this.#items.delete(id)
    return [...faded, ...surplus].map((item) => this.#withStrength(item, now)).sort((a, b) => a.retrievability - b.retrievability)
  }

  remembered(now: Moment): readonly RememberedItem[] {
    const items = [...this.#items.values()].map((item) => this.#withStrength(item, now))
    return items.sort((a, b) => b.retrievability - a.retrievability)
  }

  best(now: Moment, limit: number): readonly RememberedItem[] {
    const best = topOf(this.#items.values(), limit, (item) => this.#retrievability(item, now))
    return best.map((item) => this.#withStrength(item, now))
  }

  items(): readonly WorkspaceItem[] {
    return [...this.#items.values()]
  }

  #retrievability(item: WorkspaceItem, now: Moment): number {
    return retrievability({ stability: item.stability, days: daysBetween(this.#options.clock, item.recalled, now) })
  }

  #withStrength(item: WorkspaceItem, now: Moment): RememberedItem {
    return { ...item, retrievability: this.#retrievability(item, now) }
  }

  /** The item counts as recalled now even when its stability stays (R18). */
  #review(id: string, use: UseKind, now: Moment): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    const { preset, settings, clock } = this.#options
    const { stability, difficulty, recalled } = item
    const [days, turnsSince] = [daysBetween(clock, recalled, now), now.turn - recalled.turn]
    const after = reviewStability({ stability, days, turnsSince, use, preset, settings, difficulty })
    this.#items.set(id, { ...item, stability: after, recalled: now })
  }
}
