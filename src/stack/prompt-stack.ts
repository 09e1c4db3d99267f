import { PromptStrataError } from "../core/errors.ts"
import type { Assembly } from "../core/span.ts"
import type { Injection, Scope, SlotValue } from "../core/value.ts"
import { byPriority, type InjectionInput, type InjectionOptions, toInjection } from "./injection.ts"
import { baseOf, inheritRender, rememberRender } from "./last-render.ts"
import { type InjectionDebug, joinSpans, type RenderOptions, renderDebug, renderSpans } from "./render.ts"

/** The origin of a fork: its parent, and the items that it began with. */
interface Origin {
  readonly parent: PromptStack
  readonly items: ReadonlyMap<string, Injection>
}

/**
 * Keyed pieces of a prompt. Any module can add some at any stage of a turn (S11). A turn works on a {@link PromptStack.fork};
 * {@link PromptStack.merge} takes over the fork's `session` items, and its `turn` items end with it (S9).
 */
export class PromptStack {
  readonly #items = new Map<string, Injection>()
  #origin: Origin | undefined
  /** Keys of the session items that a fork removed. One that is added again after that stands last, in the parent too. */
  readonly #removed = new Set<string>()

  constructor(injections: Iterable<InjectionInput> = []) {
    for (const injection of injections) this.add(injection)
  }

  /**
   * Adds an item, or replaces the item of that key at its place. Blank content changes nothing and gives false (S3). Throws with
   * code `injection` for a malformed item, and for a `global` one on a fork.
   */
  add(injection: InjectionInput): boolean
  add(key: string, content: SlotValue, options?: InjectionOptions): boolean
  add(first: InjectionInput | string, content: SlotValue = "", options: InjectionOptions = {}): boolean {
    const injection = toInjection(typeof first === "string" ? { ...options, key: first, content } : first)
    if (!injection) return false
    if (this.#origin && injection.scope === "global") {
      throw new PromptStrataError(
        "injection",
        `Expected scope turn or session of ${JSON.stringify(injection.key)} on a turn's stack, found global.`,
        { hint: "Add global items to the profile or to createAgent; a hook adds turn or session items." },
      )
    }
    this.#items.set(injection.key, injection)
    return true
  }

  /** Removes the item of a key; false if there was none. */
  remove(key: string): boolean {
    // To remove a turn item that replaced a session item does not remove the session item from the parent.
    if (this.#origin && this.#items.get(key)?.scope === "session") this.#removed.add(key)
    return this.#items.delete(key)
  }

  /** The item of a key. */
  get(key: string): Injection | undefined {
    return this.#items.get(key)
  }

  /** Every key, in the order of insertion. */
  get keys(): string[] {
    return [...this.#items.keys()]
  }

  /** Every item in render order, also disabled ones: by ascending priority, equal ones in the order of insertion. */
  items(): Injection[] {
    return [...this.#items.values()].sort(byPriority)
  }

  /** Removes all items of a scope and returns their number. */
  clearScope(scope: Scope): number {
    const cleared = [...this.#items.values()].filter((item) => item.scope === scope)
    for (const { key } of cleared) this.remove(key)
    return cleared.length
  }

  /**
   * Renders the base, then `## key` and the content of each enabled item, with blank lines between them (S5). A base that ends in
   * this stack's own last rendering is recognised as saved output and does not grow (S10).
   */
  render(base = "", { heading = "key" }: RenderOptions = {}): string {
    const bare = baseOf(this, base)
    const items = this.items()
    if (heading === "key") rememberRender(this, { base: bare, system: joinSpans(renderSpans("", items)), developer: "" })
    return joinSpans(renderSpans(bare, items, { heading }))
  }

  /** Every item as plain data, in render order. With an assembly, also its tokens and its fate there (S6). */
  renderDebug(assembly?: Assembly): InjectionDebug[] {
    return renderDebug(this.items(), assembly)
  }

  /** A stack with the same items. Changes to it do not change this stack. */
  fork(): PromptStack {
    const fork = new PromptStack()
    for (const [key, item] of this.#items) fork.#items.set(key, item)
    fork.#origin = { parent: this, items: new Map(this.#items) }
    inheritRender(this, fork)
    return fork
  }

  /**
   * Takes over everything that a fork of this stack added, changed or removed, turn items too. The changes of a hook enter the turn
   * this way, once the hook is done. Throws with code `injection` for a stack that is no fork of this one.
   */
  adopt(fork: PromptStack): void {
    const origin = this.#takeRemovals(fork)
    for (const key of origin.items.keys()) if (!fork.#items.has(key)) this.#items.delete(key)
    for (const [key, item] of fork.#items) if (item !== origin.items.get(key)) this.#items.set(key, item)
    inheritRender(fork, this)
  }

  /**
   * Takes over the `session` items that a fork of this stack added, changed or removed, and nothing else (S9). An item that was
   * changed here meanwhile stays, unless the fork changed it too. Throws with code `injection` for a stack that is no fork of this
   * one.
   */
  merge(fork: PromptStack): void {
    const origin = this.#takeRemovals(fork)
    for (const [key, item] of fork.#items) {
      if (item.scope === "session" && item !== origin.items.get(key)) this.#items.set(key, item)
    }
    inheritRender(fork, this)
  }

  /** Replaces the `global` items by those of another stack; all others stay. A changed profile enters a session this way. */
  rebase(base: PromptStack): void {
    const own = [...this.#items].filter(([, { scope }]) => scope !== "global")
    this.#items.clear()
    for (const [key, item] of base.#items) if (item.scope === "global") this.#items.set(key, item)
    for (const [key, item] of own) this.#items.set(key, item)
  }

  /** Removes the session items that a fork of this stack removed, and gives the fork's origin. */
  #takeRemovals(fork: PromptStack): Origin {
    const origin = fork.#origin
    if (origin?.parent === this) {
      for (const key of fork.#removed) if (origin.items.get(key)?.scope === "session") this.remove(key)
      return origin
    }
    throw new PromptStrataError("injection", "Expected a fork of this stack, found another stack.", {
      hint: "Merge what fork() returned.",
    })
  }
}
