import type { HistoryMessage } from "../../../core/conversation.ts"
import { firstStabilityDays } from "../../../core/retrievability.ts"
import type { WorkspaceItem } from "../../../memory/forgetting/forgetting-workspace.ts"
import type { PulledItem } from "../../../memory/forgetting/pulled.ts"
import type { Garbage, ObserverParts, WatchedTurn } from "./watched-turn.ts"

const maxMessages = 200

/**
 * Finds garbage by rule: pulled information that lies in the workspace too or that nobody has named for `pulledTurns`, and items of
 * the workspace that were never used or named since they were put in, `workspaceTurns` ago.
 */
export async function garbageOf({ settings }: ObserverParts, { context, session, state }: WatchedTurn): Promise<Garbage> {
  const turn = session.turns - 1
  const kept = new Set(state.workspace.map(({ id }) => id))
  const isOld = (item: PulledItem): boolean => turn - item.pulled.turn >= settings.pulledTurns
  const pulled = state.pulled.filter((item) => kept.has(item.id) || isOld(item))
  const unused = state.workspace.filter((item) => isUnused(item) && turn - item.added.turn >= settings.workspaceTurns)
  const since = Math.min(...pulled.map((item) => item.pulled.atMs), ...unused.map(({ added }) => added.atMs))
  if (!Number.isFinite(since)) return { workspace: [], pulled: [] }
  const messages = await context.messages({ fromMs: since, limit: maxMessages })
  return {
    workspace: unused.filter(({ id, added }) => !isNamed(id, added.atMs, messages)).map(({ id }) => id),
    pulled: pulled.filter(({ id, pulled }) => kept.has(id) || !isNamed(id, pulled.atMs, messages)).map(({ id }) => id),
  }
}

/** True if no report has named the item since it was put in. */
function isUnused({ stability, added, recalled }: WorkspaceItem): boolean {
  return stability === firstStabilityDays && recalled.turn === added.turn && recalled.atMs === added.atMs
}

/** True if a message of a later turn has the name in it: the id, or the last part of a path. */
function isNamed(id: string, sinceMs: number, messages: readonly HistoryMessage[]): boolean {
  const own = new Set(messages.filter(({ atMs }) => atMs === sinceMs).map(({ turnId }) => turnId))
  const short = id.split(/[\\/]/u).at(-1) ?? ""
  const names = short.length >= 3 ? [id, short] : [id]
  return messages.some(
    ({ atMs, turnId, text }) => atMs > sinceMs && !own.has(turnId) && names.some((name) => text.includes(name)),
  )
}
