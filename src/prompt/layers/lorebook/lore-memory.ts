import { recordOf } from "../../../core/json-access.ts"
import { type BranchChange, onBranch, type StateLog, turnLog, withTurn } from "../turn-log.ts"
import { type LoreState, loreState } from "./timed.ts"

/** Everything that lorebooks keep with a session. Plain JSON. */
export interface LoreMemory {
  /** The number of turns that the conversation has, without those that were set aside. */
  readonly turns: number
  /** By the name of the book. */
  readonly books: Readonly<Record<string, LoreState>>
  /** The index of the greeting that the conversation began with (C8). */
  readonly greeting?: number | undefined
  readonly log: StateLog
}

/** Reads what a session kept; undefined if nothing. Parts that are malformed count as absent. */
export function loreMemory(kept: unknown): LoreMemory | undefined {
  const { turns, books, greeting } = recordOf(kept)
  if (typeof turns !== "number" || !Number.isSafeInteger(turns) || turns < 0) return undefined
  return {
    turns,
    books: Object.fromEntries(Object.entries(recordOf(books)).map(([name, state]) => [name, loreState(state)])),
    greeting: typeof greeting === "number" ? greeting : undefined,
    log: turnLog(kept),
  }
}

/** The state that a session keeps of a turn, so that {@link loreOnBranch} can go back. */
export function afterTurn(turnId: string, old: LoreMemory, changed: Pick<LoreMemory, "books" | "greeting">): unknown {
  const { log, ...memory } = old
  return { ...changed, turns: old.turns + 1, ...withTurn(log, turnId, memory) }
}

/** The state that a session keeps once its history ends elsewhere: the memory that the turn had which ends it now. */
export function loreOnBranch({ log: kept, ...memory }: LoreMemory, change: BranchChange): unknown {
  const { state, log } = onBranch(memory, kept, change)
  return { ...recordOf(state), ...log }
}
