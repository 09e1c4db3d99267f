import { listOf, recordOf } from "../../core/json-access.ts"
import { type LoreState, loreState } from "./timed.ts"

/** Everything that lorebooks keep with a session. Plain JSON. */
export interface LoreMemory {
  /** The number of turns that the conversation has, without those that were set aside. */
  readonly turns: number
  /** By the name of the book. */
  readonly books: Readonly<Record<string, LoreState>>
  /** The index of the greeting that the conversation began with (C8). */
  readonly greeting?: number | undefined
  /** The memory before each of the last turns, oldest first. */
  readonly before: readonly { readonly turnId: string; readonly memory: unknown }[]
}

/** The most turns of a conversation that can be taken back. */
const maxUndone = 50

/** Reads what a session kept; undefined if nothing. Parts that are malformed count as absent. */
export function loreMemory(kept: unknown): LoreMemory | undefined {
  const { turns, books, greeting, before } = recordOf(kept)
  if (typeof turns !== "number" || !Number.isSafeInteger(turns) || turns < 0) return undefined
  return {
    turns,
    books: Object.fromEntries(Object.entries(recordOf(books)).map(([name, state]) => [name, loreState(state)])),
    greeting: typeof greeting === "number" ? greeting : undefined,
    before: listOf(before).flatMap((item) => {
      const { turnId, memory } = recordOf(item)
      return typeof turnId === "string" ? [{ turnId, memory }] : []
    }),
  }
}

/** The memory after a turn, from which {@link withoutTurns} can take it back. */
export function afterTurn(turnId: string, old: LoreMemory, changed: Pick<LoreMemory, "books" | "greeting">): LoreMemory {
  const { before, ...memory } = old
  return { ...changed, turns: old.turns + 1, before: [...before, { turnId, memory }].slice(-maxUndone) }
}

/** The memory before the first of the given turns, which are the last ones of the conversation. */
export function withoutTurns(memory: LoreMemory, turns: ReadonlySet<string>): LoreMemory {
  const at = memory.before.findIndex(({ turnId }) => turns.has(turnId))
  const earlier = at < 0 ? undefined : loreMemory(memory.before[at]?.memory)
  return earlier === undefined ? memory : { ...earlier, before: memory.before.slice(0, at) }
}
