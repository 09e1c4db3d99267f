import type { RenderedSpan } from "./render.ts"

/** Where a composed message came from: the prompt without the stack's items, and the spans that tile its content. */
export interface Composition {
  readonly base: string
  readonly spans: readonly RenderedSpan[]
}

const compositions = new WeakMap<object, Composition & { readonly content: string }>()

/** Notes where a message came from; the message itself stays plain data. */
export function rememberComposition(message: { readonly content: string }, composition: Composition): void {
  compositions.set(message, { ...composition, content: message.content })
}

/** The base and spans of a message made by `composeMessages` (S10); `undefined` for others, copies, and once its content was changed. */
export function compositionOf(message: { readonly content?: unknown }): Composition | undefined {
  const known = compositions.get(message)
  return known && known.content === message.content ? { base: known.base, spans: known.spans } : undefined
}
