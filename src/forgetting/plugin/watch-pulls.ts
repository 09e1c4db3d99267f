import type { ToolRun } from "../../tools/tool.ts"
import type { Moment } from "../forgetting-clock.ts"
import { markedPath, pull } from "../pulled.ts"
import type { WatchedPulls } from "./settings.ts"
import type { VirtualContextState } from "./state.ts"

/** Arguments that name what a tool looked at. */
const fileArguments = ["path", "file", "url", "uri"] as const

/**
 * Keeps a line of what a tool was used to look at (R22): its text is gone with the turn, unless it is put into the workspace
 * (R15). An observer can do the same with runs that it sees. The state itself where the run is none of the watched ones.
 */
export function afterRun(
  state: VirtualContextState,
  run: Pick<ToolRun, "tool" | "args" | "status" | "result" | "empty">,
  { now, settings }: { readonly now: Moment; readonly settings: WatchedPulls },
): VirtualContextState {
  if (run.status !== "ok" || run.empty === true || !settings.tools.includes(run.tool)) return state
  const named = fileArguments.map((name) => run.args[name]).find((value) => typeof value === "string" && value.trim() !== "")
  if (typeof named !== "string") return state
  const id = markedPath(named)
  if (state.workspace.some((item) => item.id === id)) return state
  return { ...state, pulled: pull(state.pulled, { id, kind: "file", text: run.result }, { now, settings }) }
}
