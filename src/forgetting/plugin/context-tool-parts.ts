import type { ZonedCalendar } from "../../forgetting/events/zoned-calendar.ts"
import type { BeforeTurnContext } from "../../services/turn-hook.ts"
import type { ToolWords } from "../../tools/tool-words.ts"
import type { Moment } from "../forgetting-clock.ts"
import type { VirtualContextSettings } from "./settings.ts"
import type { VirtualContextState } from "./state.ts"

/** The tools of the context group (R28), by name. */
export const contextToolNames = [
  "report_use",
  "put_into_workspace",
  "take_out_of_workspace",
  "pull_messages",
  "discard_pulled",
  "search_events",
  "record_event",
  "search_memories",
  "compress",
] as const

/** A tool of the context group. */
export type ContextToolName = (typeof contextToolNames)[number]

/** What the tools of one turn work on. The state is asked anew at each call, as an earlier one may have changed it. */
export interface ContextToolParts {
  readonly words: Readonly<Record<ContextToolName, ToolWords>>
  readonly settings: VirtualContextSettings
  readonly calendar: ZonedCalendar
  readonly now: Moment
  readonly turn: Pick<BeforeTurnContext, "turnId" | "messages" | "recall">
  read(): VirtualContextState
  write(state: VirtualContextState): void
}
