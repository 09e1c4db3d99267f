import type { AskModel } from "../background-job.ts"
import type { MemoryService } from "../memory.ts"
import type { ReflectionService } from "../reflection.ts"
import type { StoredMemory } from "../stored-memory.ts"
import { capReached } from "./daily-cap.ts"
import type { MemoryRun, StepResult } from "./memory-run.ts"

/** Looks back on the recent memories once enough came together (T36), and stores the insights with links to what they rest on. */
export async function reflectStep(
  run: MemoryRun,
  { memory, reflection }: { readonly memory: MemoryService; readonly reflection: ReflectionService },
  ask: AskModel,
  signal: AbortSignal,
): Promise<StepResult> {
  if (!(await reflection.due(run.key))) return { outcome: "skipped", message: "not due" }
  const cap = await capReached(run)
  if (cap !== undefined) return cap
  const { reflectOn } = run.options.settings
  // Insights come between; they are not looked back on, or they would grow from each other.
  const recent = (await memory.recent(run.key, reflectOn * 2)).filter(({ kind }) => kind !== "insight").slice(-reflectOn)
  if (recent.length === 0) return { outcome: "skipped", message: "no memories" }
  const insights = await reflection.reflect(recent, run.key, { signal, ask })
  const known = new Map(recent.map((each) => [each.id, each]))
  let stored = 0
  for (const [at, { text, sources }] of insights.entries()) {
    const rests = sources.flatMap((id) => known.get(id) ?? [])
    if (text.trim() === "" || rests.length === 0) continue
    await run.expectWanted(signal)
    const { status } = await memory.remember(insightOf(run, { text, rests, at }), run.key)
    if (status === "stored") stored++
  }
  return { outcome: stored > 0 ? "ok" : "empty", message: `${stored} insights`, value: { insights: stored } }
}

function insightOf(run: MemoryRun, { text, rests, at }: { text: string; rests: readonly StoredMemory[]; at: number }) {
  const { job, options, turns } = run
  const importance = Math.max(...rests.map((memory) => memory.importance ?? 0))
  return {
    id: `${job.turnId}:insight:${at}`,
    kind: "insight" as const,
    text,
    speaker: { id: job.key.agent, name: options.agentName },
    atMs: options.ports.clock.nowMs(),
    turnId: job.turnId,
    turn: turns.at(-1)?.turn ?? 0,
    importance,
    sources: rests.map(({ id }) => id),
    ...(rests.some(({ untrusted }) => untrusted === true) ? { untrusted: true as const } : {}),
  }
}
