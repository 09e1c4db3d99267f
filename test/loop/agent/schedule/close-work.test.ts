import { expect, test } from "vitest"
import { closeWork } from "../../../../src/loop/agent/schedule/close-work.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

/** What happens after so many seconds, never, or as a failure. */
type After = number | "never" | "fails"

/** Closes an agent's work over a runner of jobs that takes its time, and tells how long it took, what was asked for and what was told. */
async function closed(
  idle: After,
  close: After,
  { hurryMs, workMs = 0, runJobs = true }: { hurryMs?: number; workMs?: number; runJobs?: boolean } = {},
) {
  const clock = manualClock()
  const timers = manualTimers(clock)
  const after = async (when: After): Promise<void> => {
    if (when === "fails") throw new Error("no database")
    if (when === 0) return
    await new Promise<void>((resolve) => (when === "never" ? undefined : timers.set(resolve, when)))
  }
  const told: string[] = []
  const runner = {
    idle: () => after(idle),
    close: async ({ drainMs }: { readonly drainMs: number }) => {
      told.push(`jobs may take ${drainMs} ms`)
      await after(close)
    },
  }
  const hurry = new AbortController()
  if (hurryMs !== undefined) timers.set(() => hurry.abort(), hurryMs)
  const watching = [{ idle: async () => undefined, close: () => void told.push("observers closed") }]
  const shared = {
    turns: { idle: async () => undefined },
    runner,
    ports: { clock, timers },
    onWarning: ({ message }: { readonly message: string }) => void told.push(message),
  }
  const options = { agent: "fay", watching, runJobs, latest: () => ({ profile: { limits: { toolMs: 5_000 } } }) }
  let isOver = false
  const over = closeWork(shared as never, options as never, { idle: () => after(workMs), hurry: hurry.signal }).then(() => {
    isOver = true
  })
  while (!isOver) {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    if (!isOver) timers.advance(500)
  }
  await over
  return `${clock.nowMs()} ms: ${told.join("; ")}`
}

test("how long an agent waits for its jobs when it closes, and what it tells of those that are left", async () => {
  const lines: string[] = []
  for (const idle of [0, 10_000, 29_500, 30_000, "never", "fails"] as const)
    for (const close of [0, 1_000, 20_000, 30_000, 60_500, "never", "fails"] as const)
      lines.push(`idle ${idle}, close ${close} → ${await closed(idle, close)}`)
  for (const hurryMs of [500, 5_000])
    for (const close of [0, "never"] as const)
      lines.push(`hurry ${hurryMs}, close ${close} → ${await closed("never", close, { hurryMs })}`)
  for (const workMs of [34_500, 35_000, 50_000]) lines.push(`work ${workMs} → ${await closed(0, 0, { workMs })}`)
  lines.push(`no jobs of its own → ${await closed("never", "never", { runJobs: false })}`)
  expect(lines.join("\n")).toMatchSnapshot()
})
