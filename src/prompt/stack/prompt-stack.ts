import { checkMemberTypes, checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Assembly } from "../../core/span.ts"
import type { Injection, Scope, SlotValue } from "../../core/value.ts"
import { byPriority, globalOnFork, type InjectionInput, type InjectionOptions, toInjection } from "./injection.ts"
import { baseOf, inheritRender, rememberRender } from "./last-render.ts"
import { type InjectionDebug, joinSpans, type RenderOptions, renderDebug, renderSpans } from "./render.ts"

/** The origin of a fork: its parent, and the parent's items as the fork last saw them. */
interface Origin extends Pick<ForkOptions, "sharesGlobal"> {
  readonly parent: PromptStack
  readonly items: Map<string, Injection>
  readonly covered: Map<string, Injection>
}

interface ForkOptions {
  /** True if `global` items can be added to the fork. They are added to its parent too. Default: false. */
  readonly sharesGlobal?: boolean
  /** Called with the key of each item before the fork changes it. What it throws, the change throws. */
  readonly check?: ((key: string) => void) | undefined
}

/**
 * Keyed pieces of a prompt. Any module can add some at any stage of a turn (S11). A turn works on a {@link PromptStack.fork};
 * {@link PromptStack.merge} takes over the fork's `session` items, and its `turn` items end with it (S9).
 */
export class PromptStack {
  #items = new Map<string, Injection>()
  /** The session or global item beneath a turn item of the same key. It stands again when the turn item ends or is removed. */
  #covered = new Map<string, Injection>()
  #origin: Origin | undefined
  #check: ForkOptions["check"]
  /** Keys of the session items that a fork removed. One that is added again after that stands last, in the parent too. */
  #removed = new Set<string>()
  /** The keys of the `global` items that forks added, each with the item that it replaced. */
  readonly #shared = new Map<string, Injection | undefined>()
  /** The items of the turn that ended last, for {@link PromptStack.renderDebug}. */
  #ofLastTurn: readonly Injection[] = []

  constructor(injections: Iterable<InjectionInput> = []) {
    checkType("the items of a PromptStack", injections, "iterable")
    for (const injection of injections) this.add(injection)
  }

  /**
   * Adds an item, or replaces the item of that key at its place. A `turn` item replaces one of a longer scope only until it ends or is
   * removed (S9). Blank content changes nothing and gives false (S3). Throws with code `injection` for a malformed item, and for a
   * `global` one on the stack of a turn.
   */
  add(injection: InjectionInput): boolean
  add(key: string, content: SlotValue, options?: InjectionOptions): boolean
  add(first: InjectionInput | string, content: SlotValue = "", options: InjectionOptions = {}): boolean {
    const injection = toInjection(typeof first === "string" ? { ...options, key: first, content } : first)
    if (!injection) return false
    if (this.#origin && injection.scope === "global") {
      const { parent, sharesGlobal } = this.#origin
      if (sharesGlobal !== true) throw globalOnFork(injection.key)
      parent.#share(injection)
    }
    this.#put(injection)
    return true
  }

  /**
   * Removes the item of a key; false if there was none. The item that a turn item had replaced stands again. A `global` item that was
   * added to a session's stack leaves all sessions, and one of the profile that it had replaced stands again.
   */
  remove(key: string): boolean {
    const item = this.#items.get(key)
    if (item) this.#remove(item)
    return item !== undefined
  }

  /** The item of a key. */
  get(key: string): Injection | undefined {
    return this.#items.get(key)
  }

  /** Every key, in the order of insertion. */
  get keys(): string[] {
    return [...this.#items.keys()]
  }

  /**
   * Every item in render order, also disabled ones: by ascending priority, equal ones in the order of insertion. With a scope, those of
   * that scope, also where a turn item replaces them for now.
   */
  items(scope?: Scope): Injection[] {
    const items: Injection[] = []
    for (const [key, item] of this.#items) {
      const covered = scope && this.#covered.get(key)
      if (covered?.scope === scope && covered) items.push(covered)
      if (item.scope === (scope ?? item.scope)) items.push(item)
    }
    return items.sort(byPriority)
  }

  /** Removes all items of a scope and returns their number. */
  clearScope(scope: Scope): number {
    const cleared = this.items(scope)
    for (const item of cleared) this.#remove(item)
    // Items of the profile that stand again.
    for (const item of this.items(scope)) this.#remove(item)
    return cleared.length
  }

  /**
   * Renders the base, then `## key` and the content of each enabled item, with blank lines between them (S5). A base that ends in
   * this stack's own last rendering is recognised as saved output and does not grow (S10).
   */
  render(base = "", options: RenderOptions = {}): string {
    checkType("the base of render", base, "string")
    checkOptions("render", options, { heading: true })
    const { heading = "key" } = options
    const bare = baseOf(this, base)
    const items = this.items()
    if (heading === "key") rememberRender(this, { base: bare, system: joinSpans(renderSpans("", items)), developer: "" })
    return joinSpans(renderSpans(bare, items, { heading }))
  }

  /**
   * Every item as plain data, in render order, disabled ones too. With an assembly, also its tokens and its fate there, and the items
   * that the last turn had beside these (S6).
   */
  renderDebug(assembly?: Assembly): InjectionDebug[] {
    const ended = assembly ? this.#ofLastTurn.filter(({ key }) => !this.#items.has(key)) : []
    return renderDebug([...this.#items.values(), ...ended].sort(byPriority), assembly)
  }

  /** A stack with the same items. Changes to it do not change this stack, apart from `global` items if it `sharesGlobal`. */
  fork(options: ForkOptions = {}): PromptStack {
    checkOptions("fork", options, "sharesGlobal check")
    const { sharesGlobal = false, check } = options
    const fork = new PromptStack()
    fork.#check = check
    for (const [key, item] of this.#items) fork.#items.set(key, item)
    for (const [key, item] of this.#covered) fork.#covered.set(key, item)
    fork.#origin = { parent: this, items: new Map(this.#items), covered: new Map(this.#covered), sharesGlobal }
    inheritRender(this, fork)
    return fork
  }

  /**
   * Takes over everything that a fork of this stack added, changed or removed, turn items too, as a turn does once a hook is done. From
   * then on both hold the same items. Throws with code `injection` for a stack that is no fork of this one.
   */
  adopt(fork: PromptStack): void {
    const origin = this.#takeRemovals(fork)
    for (const key of origin.items.keys()) {
      if (fork.#items.has(key)) continue
      this.#items.delete(key)
      this.#covered.delete(key)
    }
    for (const [key, item] of fork.#items) if (item !== origin.items.get(key)) this.#put(item, fork.#covered.get(key))
    fork.#items = this.#items
    fork.#covered = this.#covered
    fork.#removed = this.#removed
    fork.#origin = this.#origin
    inheritRender(fork, this)
  }

  /**
   * Takes over the `session` items that a fork of this stack added, changed or removed, and nothing else (S9). An item that was
   * changed here meanwhile stays, unless the fork changed it too. Throws with code `injection` for a stack that is no fork of this
   * one.
   */
  merge(fork: PromptStack): void {
    const origin = this.#takeRemovals(fork)
    for (const [key, shown] of fork.#items) {
      const item = fork.#covered.get(key) ?? shown
      const before = origin.covered.get(key) ?? origin.items.get(key)
      if (item.scope === "session" && item !== before) this.#put(item)
    }
    inheritRender(fork, this)
  }

  /** Takes over what was added to, changed in or removed from this fork's parent since this fork last saw it. */
  update(): void {
    if (!this.#origin) return
    const { parent, items, covered } = this.#origin
    for (const [key, item] of parent.#items) {
      if (items.get(key) === item) continue
      const beneath = parent.#covered.get(key)
      items.set(key, item)
      if (beneath) covered.set(key, beneath)
      else covered.delete(key)
      this.#put(item, beneath)
    }
    if (items.size === parent.#items.size) return
    for (const [key, item] of items) {
      if (parent.#items.has(key)) continue
      items.delete(key)
      covered.delete(key)
      if (this.#items.get(key) === item || this.#covered.get(key) === item) this.#drop(item)
    }
  }

  /**
   * Ends a turn that worked on a fork of this stack: removes the `turn` items that the fork has seen, and what they had replaced stands
   * again (S9). Those that were added after the turn's last request stay for the next turn, and so do those that this stack began with.
   */
  endTurn(fork: PromptStack): void {
    checkMemberTypes("the fork of endTurn", fork, "fork:function")
    const seen = fork.#origin?.items
    for (const [key, item] of this.#items) {
      const isOver = item.scope === "turn" && seen?.get(key) === item && this.#origin?.items.get(key) !== item
      if (isOver) this.#drop(item)
    }
    this.#ofLastTurn = fork.items()
  }

  /**
   * Replaces the `global` items by those of another stack, which becomes the parent of this fork; all others stay, and `global` ones
   * that were added to this fork are added to that stack. A changed profile enters a session this way.
   */
  rebase(base: PromptStack): void {
    const origin = this.#origin
    const own: Injection[] = []
    checkMemberTypes("the base of rebase", base, "fork:function")
    for (const [key, shown] of this.#items) {
      for (const item of [this.#covered.get(key), shown]) {
        if (item && (item.scope !== "global" || (origin && origin.items.get(key) !== item))) own.push(item)
      }
    }
    this.#items.clear()
    this.#covered.clear()
    for (const item of own) if (item.scope === "global") base.#share(item)
    for (const item of base.items("global")) this.#put(item)
    for (const item of own) this.#put(item)
    if (origin) this.#origin = { ...origin, parent: base, items: new Map(base.#items), covered: new Map(base.#covered) }
  }

  /** Sets the item of a key. A turn item covers `beneath`, by default what stands there. */
  #put(item: Injection, beneath?: Injection): void {
    const { key, scope } = item
    this.#check?.(key)
    const before = this.#items.get(key)
    const covered = beneath ?? (before?.scope === "turn" ? this.#covered.get(key) : before)
    if (scope === "turn" && covered) this.#covered.set(key, covered)
    else this.#covered.delete(key)
    this.#items.set(key, item)
  }

  /** Sets a `global` item that a fork added. */
  #share(item: Injection): void {
    if (!this.#shared.has(item.key)) this.#shared.set(item.key, this.#items.get(item.key))
    this.#put(item)
  }

  /** Removes a `global` item that a fork added, and gives the one that it had replaced, which stands again. */
  #unshare(key: string): Injection | undefined {
    const [before, item] = [this.#shared.get(key), this.#items.get(key)]
    this.#shared.delete(key)
    if (before) this.#put(before)
    else if (item) this.#drop(item)
    return before
  }

  /** Removes an item, covered or not, and remembers a session item for the parent, where it is removed too. */
  #remove(item: Injection): void {
    const { key, scope } = item
    this.#check?.(key)
    if (this.#origin && scope === "session") this.#removed.add(key)
    this.#drop(item)
    if (!this.#origin || scope !== "global") return
    const { parent, items, sharesGlobal } = this.#origin
    if (sharesGlobal !== true || !parent.#shared.has(key)) return
    const before = parent.#unshare(key)
    if (!before) return
    const above = this.#items.get(key)
    if (above) this.#put(above, before)
    else this.#put(before)
    items.set(key, before)
  }

  #drop(item: Injection): void {
    const { key } = item
    const covered = this.#covered.get(key)
    this.#covered.delete(key)
    if (covered === item) return
    if (covered) this.#items.set(key, covered)
    else this.#items.delete(key)
  }

  /** Removes the session items that a fork of this stack removed, and gives the fork's origin. */
  #takeRemovals(fork: PromptStack): Origin {
    checkMemberTypes("the fork of a PromptStack", fork, "fork:function")
    const origin = fork.#origin
    if (origin?.parent === this) {
      for (const key of fork.#removed) {
        const before = origin.covered.get(key) ?? origin.items.get(key)
        const item = this.#covered.get(key) ?? this.#items.get(key)
        if (before?.scope === "session" && item) this.#remove(item)
      }
      return origin
    }
    const hint = "Merge what fork() returned."
    throw new PromptStrataError("injection", "Expected a fork of this stack, found another stack.", { hint })
  }
}
