import type { TurnHook } from "../services/turn-hook.ts"
import { HookChanges } from "./hook-changes.ts"
import type { TurnRun } from "./turn-run.ts"
import { whatHappened, within } from "./within.ts"

/** Hooks run in their order, each on a fork of its own, so that one that comes too late changes nothing. */
export async function runHooks(run: TurnRun): Promise<void> {
  for (const hook of run.setup.hooks) if ("beforeTurn" in hook) await runHook(run, hook)
}

async function runHook(run: TurnRun, hook: TurnHook): Promise<void> {
  const { limits, ports } = run.setup
  const changes = new HookChanges(run, hook.name)
  const outcome = await within({ timeoutMs: limits.prestartMs, signal: run.signal, timers: ports.timers }, (signal) =>
    hook.beforeTurn?.(changes.context(signal)),
  )
  if (outcome.status === "done") changes.adopt()
  else if (outcome.status !== "aborted") run.warn("hook", `The hook ${hook.name} ${whatHappened(outcome, limits.prestartMs)}.`)
}
