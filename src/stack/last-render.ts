/** What a stack rendered last under `## key` headings: the base, and the sections of the system and the developer message. */
export interface LastRender {
  readonly base: string
  readonly system: string
  readonly developer: string
}

/** Beside the stack, not in it: only text that the stack wrote itself is read differently because of it. */
const renders = new WeakMap<object, LastRender>()

/** Notes what `stack` rendered. */
export function rememberRender(stack: object, render: LastRender): void {
  renders.set(stack, render)
}

/** What `stack` rendered last. */
export function lastRender(stack: object): LastRender | undefined {
  return renders.get(stack)
}

/** Hands what `from` rendered last on to `to`, as from a stack to its fork and back. */
export function inheritRender(from: object, to: object): void {
  const render = renders.get(from)
  if (render) renders.set(to, render)
}

/**
 * The base of a system prompt that came back as a bare string: trailing sections equal to the stack's last render are
 * removed; everything else is the base, other headings too (S10). A text equal to the last base is the base.
 */
export function baseOf(stack: object, text: string): string {
  const last = renders.get(stack)
  if (!last || text === last.base) return text
  return withoutTrailing(withoutTrailing(text, last.developer), last.system)
}

/** The text without a trailing `block` and the blank line before it. */
export function withoutTrailing(text: string, block: string): string {
  if (block === "") return text
  if (text === block) return ""
  return text.endsWith(`\n\n${block}`) ? text.slice(0, -block.length - 2) : text
}
