import { PromptStrataError } from "../core/errors.ts"
import { firstStabilityDays, retrievability } from "../core/retrievability.ts"
import {
  type DecayPreset,
  type DecaySettings,
  daysBetween,
  type ForgettingClock,
  type Moment,
  reviewStability,
  type Use,
} from "./decay.ts"
import { topOf } from "./ranking.ts"

/** How a workspace forgets. */
export interface WorkspaceOptions {
  /** Default `workspace`. */
  readonly preset?: DecayPreset
  /** Instead of the preset's numbers, one by one. */
  readonly settings?: Partial<DecaySettings>
  /** Default: days. */
  readonly clock?: ForgettingClock
  /** An item less well remembered than this is removed. Default 0.3. */
  readonly evictBelow?: number
  /** Of more items the least remembered are removed. Default 10,000. */
  readonly maxItems?: number
  /** The items of an earlier workspace, as {@link Workspace.items} gave them. */
  readonly items?: readonly WorkspaceItem[]
}

/** What a turn used, by id (R16). Ids that are not there are handed back, as a model may name anything. */
export interface UseReport {
  readonly used: readonly string[]
  readonly maybeUsed: readonly string[]
}

/** What is at hand, and fades when it is not used (R15–R18). It holds what files are called, never the files. */
export interface Workspace {
  readonly size: number
  /** Puts an item in, or replaces its text; what is put in again has come up. */
  put(item: Pick<WorkspaceItem, "id" | "kind" | "text"> & Partial<Pick<WorkspaceItem, "difficulty" | "data">>, now: Moment): void
  remove(id: string): boolean
  /** Strengthens what came up; the rest only ages. Returns the ids it does not know. */
  report(report: UseReport, now: Moment): readonly string[]
  /** Removes what has faded, the least remembered first, and returns it. */
  evict(now: Moment): readonly RememberedItem[]
  /** What is remembered, best first; equals in the order they were put in. */
  remembered(now: Moment): readonly RememberedItem[]
  /** The best remembered, at most `limit`: one pass, however many there are. */
  best(now: Moment, limit: number): readonly RememberedItem[]
  /** The state, plain JSON, in the order things were put in. */
  items(): readonly WorkspaceItem[]
}

const defaults = { evictBelow: 0.3, maxItems: 10_000, clock: { by: "days" } } as const

/** Makes a workspace. Items that are given and share an id throw `usage`. */
export function createWorkspace(options: WorkspaceOptions = {}): Workspace {
  return new ForgettingWorkspace(options)
}

class ForgettingWorkspace implements Workspace {
  readonly #options: WorkspaceOptions & typeof defaults
  readonly #items = new Map<string, WorkspaceItem>()

  constructor(options: WorkspaceOptions) {
    this.#options = { ...defaults, ...options } as WorkspaceOptions & typeof defaults
    for (const item of options.items ?? []) {
      if (this.#items.has(item.id)) throw twice(item.id)
      this.#items.set(item.id, item)
    }
  }

  get size(): number {
    return this.#items.size
  }

  put(given: Pick<WorkspaceItem, "id" | "kind" | "text"> & Partial<WorkspaceItem>, now: Moment): void {
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
    const faded = [...this.#items.values()].filter((item) => strength(item) < evictBelow)
    for (const { id } of faded) this.#items.delete(id)
    const surplus = topOf([...this.#items.values()].reverse(), this.size - maxItems, (item) => -strength(item))
    for (const { id } of surplus) this.#items.delete(id)
    return [...faded, ...surplus].map((item) => this.#withStrength(item, now)).sort((a, b) => a.retrievability - b.retrievability)
  }

  remembered(now: Moment): readonly RememberedItem[] {
    const items = [...this.#items.values()].map((item) => this.#withStrength(item, now))
    return items.sort((a, b) => b.retrievability - a.retrievability)
  }

  best(now: Moment, limit: number): readonly RememberedItem[] {
    const best = topOf([...this.#items.values()], limit, (item) => this.#retrievability(item, now))
    return best.map((item) => this.#withStrength(item, now))
  }

  items(): readonly WorkspaceItem[] {
    return [...this.#items.values()]
  }

  #retrievability(item: WorkspaceItem, now: Moment): number {
    return retrievability(item.stability, daysBetween(this.#options.clock, item.recalled, now))
  }

  #withStrength(item: WorkspaceItem, now: Moment): RememberedItem {
    return { ...item, retrievability: this.#retrievability(item, now) }
  }

  /** The time of the last recall is renewed even where the stability stays (R18). */
  #review(id: string, use: Use, now: Moment): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    const { preset, settings, clock } = this.#options
    const stability = reviewStability({
      stability: item.stability,
      days: daysBetween(clock, item.recalled, now),
      turnsSince: now.turn - item.recalled.turn,
      use,
      ...(preset === undefined ? {} : { preset }),
      ...(settings === undefined ? {} : { settings }),
      ...(item.difficulty === undefined ? {} : { difficulty: item.difficulty }),
    })
    this.#items.set(id, { ...item, stability, recalled: now })
  }
}

function twice(id: string): PromptStrataError {
  return new PromptStrataError("usage", `expected items of different ids, found two called ${JSON.stringify(id)}.`, {
    evidence: { id },
  })
}

/** One thing that a workspace holds: plain JSON. */
export interface WorkspaceItem {
  /** Unique in its workspace: a file's path, or a name given to a piece of information. */
  readonly id: string
  readonly kind: "file" | "reference"
  /** What the workspace shows of it: a summary, or the information itself. */
  readonly text: string
  /** Days until its retrievability is 0.9. */
  readonly stability: number
  /** When it was put here. */
  readonly added: Moment
  /** When it last came up; retrievability is counted from here. */
  readonly recalled: Moment
  /** Its own difficulty; the higher, the less a recall strengthens. */
  readonly difficulty?: number
  /** What its owner keeps with it. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** An item, and how well it is remembered now. */
export interface RememberedItem extends WorkspaceItem {
  readonly retrievability: number
}
