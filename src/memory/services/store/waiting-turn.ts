import { listOf, recordOf } from "../../../core/json-access.ts"

/** The member of a session's state that holds a turn which waits for an answer to its calls, with the speaker, the calls and the results so far. */
export const openTurnKey = "approval"

/**
 * A session's state without the turn that waits for an approval, if it may hold a memory that is deleted: if it was asked since `sinceMs`
 * for a person that `isOwner` is true for. Undefined if it stays as it is.
 */
export function stateWithoutWaitingTurn(
  state: Readonly<Record<string, unknown>>,
  isOwner: (speaker: string) => boolean,
  sinceMs = Number.NEGATIVE_INFINITY,
): Readonly<Record<string, unknown>> | undefined {
  const { [openTurnKey]: waiting, ...rest } = state
  if (waiting === undefined) return undefined
  const { speaker, calls } = recordOf(waiting)
  const askedMs = Math.max(...listOf(calls).map((call) => Number(recordOf(call).askedMs ?? 0)), 0)
  return askedMs >= sinceMs && isOwner(String(recordOf(speaker).id)) ? Object.freeze(rest) : undefined
}

/** The part of a group's state that stays when one of its speakers is forgotten: switches and counts, because they hold no words. */
export function stateWithoutWords(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(state).filter(([, value]) => typeof value === "boolean" || typeof value === "number")
  return Object.freeze(Object.fromEntries(kept))
}
