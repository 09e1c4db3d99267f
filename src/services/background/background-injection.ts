import { priority } from "../../core/priority.ts"
import type { Injection, Value } from "../../core/value.ts"

/** What a background prompt is about, in the slot of its key. Texts in it carry their own trust; a bare one is of the memory. */
export function backgroundInjection(key: string, content: Value): Injection {
  return {
    key,
    content,
    trust: "memory",
    priority: priority.default,
    role: "system",
    scope: "turn",
    enabled: true,
    fit: { rank: 50, shrink: "entries", minTokens: 1 },
  }
}
