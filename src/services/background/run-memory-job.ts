import { PromptStrataError } from "../../core/errors.ts"
import type { JobContext } from "../background-job.ts"
import type { Job } from "../job-runner.ts"
import { importanceStep } from "./importance-step.ts"
import type { MemoryJobOptions } from "./memory-job-options.ts"
import { MemoryRun } from "./memory-run.ts"
import { profileStep } from "./profile-step.ts"
import { reflectStep } from "./reflect-step.ts"
import { storeStep } from "./store-step.ts"
import { waitingTurns, wordsOfTurn } from "./turn-words.ts"

/** Vectors that one turn's job makes up for. */
const embeddedAtOnce = 64

/** Runs the steps that are not settled yet, for the turn and those that waited for it; throws `background` where one is to be tried again. */
export async function runMemoryJob(options: MemoryJobOptions, job: Job, context: JobContext): Promise<void> {
  const words = await wordsOfTurn(job, context)
  if (words === undefined) return
  const { receipts, settings } = options
  const done = await receipts.ofTurn(job.turnId, job.key)
  const batchTurns = job.key.audience === "private" ? Math.max(1, settings.batchTurns) : 1
  if ((words.turn + 1) % batchTurns !== 0) {
    const value = { turn: words.turn, untrusted: words.untrusted }
    return context.receipt({ kind: "batch", outcome: "ok", message: "waits to be judged with later turns", value })
  }
  const waiting = batchTurns === 1 ? [] : await waitingTurns(job, { context, receipts, batchTurns })
  const run = new MemoryRun(options, { job, context, turns: [...waiting, words], receipts: done })
  try {
    await runSteps(run)
  } catch (error) {
    if (run.isForgotten) return
    throw error
  }
  const failed = ["importance", "profile", "store", "reflect"].filter((kind) => !run.isSettled(kind))
  if (failed.length > 0) throw unfinished(run, failed)
}

async function runSteps(run: MemoryRun): Promise<void> {
  const { memory, userProfile, reflection } = run.options
  if (memory) await run.step("importance", (ask, signal) => importanceStep(run, ask, signal))
  if (userProfile) await run.step("profile", (ask, signal) => profileStep(run, userProfile, ask, signal))
  if (!memory) return
  if (!run.isSettled("importance") && !run.isLast) return
  await run.step("store", (_, signal) => storeStep(run, memory, signal))
  const hasStored = Number(run.receipt("store")?.value?.stored ?? 0) > 0
  if (reflection && hasStored) await run.step("reflect", (ask, signal) => reflectStep(run, { memory, reflection }, ask, signal))
  if (memory.embedMissing && hasStored) await run.step("embed", (_, signal) => embedStep(run, signal))
}

async function embedStep({ options, key }: MemoryRun, signal: AbortSignal) {
  const count = (await options.memory?.embedMissing?.(key, { limit: embeddedAtOnce, signal })) ?? 0
  return { outcome: count > 0 ? ("ok" as const) : ("empty" as const), message: `${count} vectors` }
}

function unfinished(run: MemoryRun, kinds: readonly string[]): PromptStrataError {
  const faults = kinds.map((kind) => `${kind}: ${run.receipt(kind)?.message ?? run.receipt(kind)?.outcome}`)
  return new PromptStrataError("background", `The work after turn ${run.job.turnId} is not done: ${faults.join("; ")}`, {
    hint: "It is tried again; the conversation itself lacks nothing.",
    evidence: { kinds },
  })
}
