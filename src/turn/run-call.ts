import { renderNotice } from "../dialect/render-notice.ts"
import type { ToolRun } from "../tools/tool.ts"
import type { CallGuard } from "./call-guard.ts"
import { resolveMentions } from "./resolve-mentions.ts"
import { runTool } from "./run-tool.ts"
import type { TurnRun } from "./turn-run.ts"

/** A call that a model made. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** What is wrong with arguments that could not be read; such a call is not run (T18). */
  readonly fault?: string
}

/** Runs a call of the model and tells its events. A repeat hands back the earlier result with a note (T17). Never rejects. */
export async function runCall(run: TurnRun, guard: CallGuard, { id, name, args, fault }: ModelCall): Promise<ToolRun> {
  const tool = run.tools.plannerTool(name)
  run.emit({ type: "tool-start", id, tool: name, args })
  const claimed = guard.claim({ name, args, tool }, () =>
    fault === undefined
      ? runTool(run, { id, name, args: resolveMentions(run, args), tool })
      : Promise.resolve(unreadableArguments(run, { id, name, fault })),
  )
  const result = await claimed.run
  const done = claimed.isRepeat ? repeated(run, id, result) : result
  run.emit({ type: "tool-end", run: done })
  run.heardRun(done)
  return done
}

function repeated(run: TurnRun, id: string, earlier: ToolRun): ToolRun {
  const result = renderNotice(run.setup.dialect, "repeated-call", { result: earlier.result })
  return { ...earlier, id, repeatOf: earlier.repeatOf ?? earlier.id, result, durationMs: 0 }
}

function unreadableArguments(run: TurnRun, { id, name, fault }: { id: string; name: string; fault: string }): ToolRun {
  const result = renderNotice(run.setup.dialect, "invalid-arguments", { issues: fault })
  return { id, tool: name, args: {}, status: "failed", failure: "invalid-arguments", result, durationMs: 0 }
}
