import { clipped } from "../../../../core/graphemes.ts"
import type { TurnContext } from "../../../../loop/turn/turn-context.ts"
import type { Grain } from "../../../../memory/forgetting/events/stamp.ts"
import { readState, type VirtualContextState } from "../../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../../memory/forgetting/plugin/virtual-context-name.ts"

/** A change of what a conversation's virtual context holds. Plain JSON. */
export interface ContextChange {
  readonly area: "workspace" | "events" | "pulled" | "compressed"
  /** `used`: it came up, and is forgotten later for it. `shown`: a shortened answer stands in prompts from now on. */
  readonly change: "came" | "changed" | "used" | "shown" | "went"
  /** The id of the item or the event, or of the turn whose answer was shortened. */
  readonly id: string
  /** The first 300 characters. */
  readonly text: string
  /** The length of time that an event covers. */
  readonly grain?: Grain | undefined
  /** `model`: a tool of the turn did it. `background`: it stood so when the turn began, by a job, by an observer, or by time. */
  readonly by: "background" | "model"
}

/** The states of a virtual context around a turn. */
export interface ContextStates {
  /** As the turn before left it. */
  readonly before: unknown
  /** When the turn's first request was sent. */
  readonly begun: unknown
  /** As the turn left it. */
  readonly after: unknown
}

/** The changes that one turn notes. */
export interface NotedChanges {
  readonly changes: readonly ContextChange[]
  /** Changes over the most that one turn keeps. */
  readonly lost: number
}

const maxChanges = 300
const maxTextCharacters = 300

/** The changes that a turn made, which began with a state of its virtual context; undefined if it has none. */
export function changesIn({ session, progress }: TurnContext, begun: unknown): NotedChanges | undefined {
  const after = progress.hooks.states.get(virtualContextName)
  return after === undefined ? undefined : contextChanges({ before: session.hooks[virtualContextName], begun, after })
}

/** The changes of a virtual context in a turn: those at its beginning, then those by its tools. It reads states of any form. */
export function contextChanges({ before, begun, after }: ContextStates): NotedChanges {
  const [first, second, third] = [before, begun ?? after, after].map(readState)
  if (!first || !second || !third) return { changes: [], lost: 0 }
  const all = [...changesOf(first, second, "background"), ...changesOf(second, third, "model")]
  return { changes: all.slice(0, maxChanges), lost: Math.max(0, all.length - maxChanges) }
}

/** An item of a state, in the form in which two of them are compared. */
interface StateItem {
  readonly id: string
  readonly text: string
  readonly grain?: Grain | undefined
  /** When it came up last. */
  readonly usedMs: number
  readonly isShown?: boolean
}

function changesOf(before: VirtualContextState, after: VirtualContextState, by: ContextChange["by"]): ContextChange[] {
  if (before === after) return []
  return (["workspace", "events", "pulled", "compressed"] as const).flatMap((area) => {
    if (before[area] === after[area]) return []
    const [was, is] = [itemsIn(before, area), itemsIn(after, area)]
    const told = ({ id, text, grain }: StateItem, change: ContextChange["change"]): ContextChange => ({
      ...{ area, change, id: cut(id), text: cut(text), grain, by },
    })
    const came = [...is.values()].flatMap((item) => {
      const change = changeOf(was.get(item.id), item)
      return change ? [told(item, change)] : []
    })
    const went = [...was.values()].flatMap((item) => (is.has(item.id) ? [] : [told(item, "went")]))
    return [...went, ...came]
  })
}

function changeOf(was: StateItem | undefined, is: StateItem): ContextChange["change"] | undefined {
  if (!was) return "came"
  if (was.text !== is.text) return "changed"
  if (is.isShown && !was.isShown) return "shown"
  return was.usedMs === is.usedMs ? undefined : "used"
}

function itemsIn(state: VirtualContextState, area: ContextChange["area"]): ReadonlyMap<string, StateItem> {
  const items: readonly StateItem[] =
    area === "workspace"
      ? state.workspace.map(({ id, text, recalled }) => ({ id, text, usedMs: recalled.atMs }))
      : area === "events"
        ? state.events.map(({ id, text, grain, recalled }) => ({ id, text, grain, usedMs: recalled.atMs }))
        : area === "pulled"
          ? state.pulled.map(({ id, text, pulled }) => ({ id, text, usedMs: pulled.atMs }))
          : state.compressed.map(({ turnId, text, shown }) => ({ id: turnId, text, usedMs: 0, isShown: shown }))
  return new Map(items.map((item) => [item.id, item]))
}

export function cut(text: string): string {
  return clipped(text, maxTextCharacters)
}
