import type { PrestartSettings } from "../profile/profile.ts"
import { fillArguments } from "../tools/call-arguments.ts"
import type { ToolRun } from "../tools/tool.ts"
import { recalledMemories } from "./recalled-memories.ts"
import { runHooks } from "./run-hooks.ts"
import { runTool } from "./run-tool.ts"
import type { TurnRun } from "./turn-run.ts"
import { whatHappened, within } from "./within.ts"

/** Everything before the first plan, side by side: prestart tools, recall, hooks (T13). What fails is left out and reported. */
export async function prepare(run: TurnRun): Promise<void> {
  const hooks = runHooks(run)
  const prestart = Promise.all(run.setup.prestart.map((entry) => runPrestart(run, entry, hooks)))
  await Promise.all([prestart, recall(run), hooks])
  for (const [index, result] of (await prestart).entries()) keepPrestart(run, run.setup.prestart[index], result)
  run.signal.throwIfAborted()
}

/** A tool that the agent does not have may be one that a hook adds. */
async function runPrestart(run: TurnRun, entry: PrestartSettings, hooks: Promise<void>): Promise<ToolRun> {
  const { setup } = run
  const args = fillArguments(entry.args, { question: run.occasion })
  const id = setup.ports.ids.next("prestart")
  run.emit({ type: "prestart-start", id, tool: entry.tool, args })
  if (!setup.tools.get(entry.tool)) await hooks
  const result = await runTool(run, {
    id,
    name: entry.tool,
    args,
    tool: setup.tools.get(entry.tool) ?? run.tools.get(entry.tool),
    timeoutMs: entry.timeoutMs ?? setup.limits.prestartMs,
  })
  run.emit({ type: "prestart-end", run: result })
  return result
}

/** A prestart tool that failed or returned nothing is left out; the others go on (T25). */
function keepPrestart(run: TurnRun, entry: PrestartSettings | undefined, result: ToolRun): void {
  run.prestartRuns.push(result)
  if (result.status === "failed" || result.empty === true) {
    run.warn("prestart", `${result.tool} was left out: ${result.result}`)
    return
  }
  const kept = { tool: result.tool, args: result.args, result: result.result }
  run.prestart.push(kept)
  if (entry?.includeHistory === true) run.kept.push(kept)
}

/** What stands in the prompt as history need not be remembered. */
function shownTurns({ setup }: TurnRun): { readonly excludeTurns?: readonly string[] } {
  const turns = [...new Set(setup.history.map(({ turnId }) => turnId))]
  return turns.length === 0 ? {} : { excludeTurns: turns }
}

async function recall(run: TurnRun): Promise<void> {
  const { memory, memoryOn, key, recallLimit, limits, ports } = run.setup
  if (!memory || !memoryOn) return
  const outcome = await within({ timeoutMs: limits.prestartMs, signal: run.signal, timers: ports.timers }, async (signal) =>
    recalledMemories(await memory.recall(run.occasion, key, { limit: recallLimit, signal, ...shownTurns(run) }), recallLimit),
  )
  if (outcome.status === "done") {
    const { memories, passedOver } = outcome.value
    run.memories.push(...memories)
    if (passedOver > 0) run.warn("recall", `${passedOver} of the recalled memories have no text and were left out.`)
  } else if (outcome.status !== "aborted")
    run.warn("recall", `No memories in this turn: recall ${whatHappened(outcome, limits.prestartMs)}.`)
}
