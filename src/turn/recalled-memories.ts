import { PromptStrataError } from "../core/errors.ts"
import type { Memory } from "../services/memory/memory-service.ts"

/**
 * What a memory service answered, at most `limit` of it, as far as it can be used: an entry needs a text, and of the rest what is of
 * another type is left out. Throws `store` where the answer is no list; `passedOver` counts entries that are no memories.
 */
export function recalledMemories(
  answer: unknown,
  limit: number,
): { readonly memories: readonly Memory[]; readonly passedOver: number } {
  if (!Array.isArray(answer))
    throw new PromptStrataError(
      "store",
      `expected a list of memories, found ${answer === null ? "null" : typeof answer}; mend the memory service.`,
    )
  const first: readonly unknown[] = answer.slice(0, Math.max(0, limit))
  const memories = first.flatMap((entry, at) => memoryOf(entry, at) ?? [])
  return { memories, passedOver: first.length - memories.length }
}

function memoryOf(entry: unknown, at: number): Memory | undefined {
  if (typeof entry !== "object" || entry === null) return undefined
  const { id, text, speaker, atMs, untrusted, score, why } = entry as Partial<Record<keyof Memory, unknown>>
  if (typeof text !== "string" || text.trim() === "") return undefined
  return {
    id: typeof id === "string" ? id : `${at}`,
    text,
    ...(typeof speaker === "string" ? { speaker } : {}),
    // Later than a date can be is no time.
    ...(typeof atMs === "number" && Math.abs(atMs) <= maxDateMs ? { atMs } : {}),
    ...(untrusted === true ? { untrusted: true as const } : {}),
    ...(typeof score === "number" ? { score } : {}),
    ...(Array.isArray(why) ? { why: why.filter(isReason) } : {}),
  }
}

const maxDateMs = 8_640_000_000_000_000

function isReason(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  const reason = value as { readonly signal?: unknown; readonly value?: unknown; readonly share?: unknown }
  return typeof reason.signal === "string" && typeof reason.value === "number" && typeof reason.share === "number"
}
