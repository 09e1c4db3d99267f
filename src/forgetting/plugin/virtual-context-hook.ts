import { zonedCalendar } from "../../forgetting/events/zoned-calendar.ts"
import type { BeforeTurnContext, TurnHook } from "../../services/turn-hook.ts"
import { applyNotes } from "./changes.ts"
import type { ContextToolParts } from "./context-tool-parts.ts"
import { contextTools } from "./context-tools.ts"
import { nextState } from "./next-state.ts"
import type { VirtualContextSettings } from "./settings.ts"
import { shownContext } from "./shown-context.ts"
import { readState, virtualContextName } from "./state.ts"
import { afterRun } from "./watch-pulls.ts"

/**
 * The hook of a virtual context: takes in what background work left, lets the state age, and puts events, workspace, pulled
 * information, the shortened conversation and the tools of the context group into the turn. It waits for nothing. With memory
 * off it does nothing at all (D2).
 */
export function virtualContextHook(settings: VirtualContextSettings, words: ContextToolParts["words"]): TurnHook {
  const calendar = zonedCalendar(settings.events.timeZone)
  return {
    name: virtualContextName,
    beforeTurn(context) {
      const { turnId, turn, startedMs, question, history, memoryOn, state: kept, stack } = context
      if (!memoryOn) return
      const now = { atMs: startedMs, turn }
      const noted = applyNotes(readState(kept.get()), context.notes, { now, settings: settings.pulled })
      const state = nextState(noted.state, { turnId, now, history }, settings)
      kept.set(state)
      for (const injection of shownContext(state, { now, question, fresh: noted.fresh }, settings)) stack.add(injection)
      showConversation(context, readState(kept.get()))
      const read = () => readState(kept.get())
      context.addTools(
        contextTools({ words, settings, calendar, now, turn: context, read, write: (changed) => kept.set(changed) }),
      )
      context.onRun((run) => {
        const before = read()
        const after = afterRun(before, run, { now, settings: settings.pulled })
        if (after !== before) kept.set(after)
      })
    },
  }
}

/** The conversation begins where the previous topic began, and older answers are shown compressed (R11, R12). */
function showConversation({ showAs, showFrom }: BeforeTurnContext, state: ReturnType<typeof readState>): void {
  if (state.shownFrom !== undefined) showFrom(state.shownFrom)
  for (const { turnId, text, shown } of state.compressed) if (shown) showAs(turnId, text)
}
