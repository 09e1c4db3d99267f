import { listOf, recordOf } from "../openai/json-access.ts"

/** How many cache breakpoints the messages and tools of a call carry already: a provider takes four in all. */
export function countMarks({
  prompt,
  tools,
}: {
  readonly prompt: readonly unknown[]
  readonly tools?: readonly unknown[]
}): number {
  const parts = prompt.flatMap((message) => [message, ...listOf(recordOf(message).content)])
  return [...parts, ...(tools ?? [])].filter(isMarked).length
}

function isMarked(carrier: unknown): boolean {
  const options = recordOf(recordOf(carrier).providerOptions)
  const { cacheControl, cache_control } = recordOf(options.anthropic)
  return (cacheControl ?? cache_control ?? recordOf(options.openai).promptCacheBreakpoint) !== undefined
}
