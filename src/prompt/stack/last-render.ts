/** The last rendering of a stack under `## key` headings: the base, and the sections of the system and the developer message. */
export interface LastRender {
  readonly base: string
  readonly system: string
  readonly developer: string
}

/** Renderings stand beside the stacks. They only help a stack to recognise text that it wrote itself. */
const renders = new WeakMap<object, LastRender>()

export function rememberRender(stack: object, render: LastRender): void {
  renders.set(stack, render)
}

export function lastRender(stack: object): LastRender | undefined {
  return renders.get(stack)
}

/** Copies the last rendering of one stack to another: from a stack to its fork, and back. */
export function inheritRender(from: object, to: object): void {
  const render = renders.get(from)
  if (render) renders.set(to, render)
}

/**
 * The base of a system prompt that came back as a string. Trailing sections that equal the stack's last rendering are removed.
 * Everything else is the base, also other headings (S10). A text that equals the last base is the base.
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
