import { describe, expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import { runCli } from "../../../src/apps/cli/run-cli.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { countingIds, manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { fakeTerminal } from "../../support/terminal.ts"
import { plainProfile, run, start } from "./run.ts"

const startedMs = Date.UTC(2026, 0, 1)

/** A store with the jobs of a turn in each of these conversations, which nobody has begun. */
async function withJobs(...conversations: readonly string[]): Promise<string> {
  const folder = tempFolder()
  const [store, profile] = [await openStore(folder), await loadProfile(plainProfile, { env: {} })]
  const model = scriptedModel(conversations.map(() => finish("Hi.")))
  const ports = { clock: manualClock(startedMs), ids: countingIds() }
  const agent = createAgent({ profile, model, store, runJobs: false, ports })
  for (const conversation of conversations) await agent.session(conversation).send("I like tea.").result
  await agent.close()
  await store.close()
  return folder
}

/** A worker over a store. Its model answers `answer`, and each call takes a second and a quarter. */
function worker(folder: string, answer: () => string, ...options: readonly string[]) {
  const fake = fakeTerminal({ terminal: false, env: { LANG: "en_US.UTF-8" } })
  const clock = manualClock(startedMs)
  const model = scriptedModel(
    Array.from({ length: 40 }, () => () => {
      clock.advance(1_250.4)
      return answer()
    }),
  )
  // Its timers stand still: what ends, ends by the store's own.
  const code = runCli(["worker", plainProfile, "--data-dir", folder, ...options], fake.io, {
    ports: { clock, ids: countingIds(), timers: manualTimers(manualClock(startedMs)) },
    chooseModel: () => ({ model, demo: false }),
  })
  return { ...fake, code }
}

const judged = JSON.stringify({ importance: 7, profile: {} })

describe("promptstrata worker", () => {
  test("does the jobs of every conversation, prints a line for each, and counts them at its end", async () => {
    const folder = await withJobs("c1", "c2")
    const own = worker(folder, () => judged)
    await own.shows("done", 2)
    own.terminate()
    expect(await own.code).toBe(0)
    expect(own.written.stdout.trimEnd().split("\n").sort()).toEqual([
      expect.stringMatching(/^memory {2}c1 {2}turn-1 {2}\d+ ms {2}done$/),
      expect.stringMatching(/^memory {2}c2 {2}turn-2 {2}\d+ ms {2}done$/),
    ])
    expect(own.written.stderr).toBe(
      [
        `Doing background work of Bea from ${folder}. SIGTERM waits for running jobs and ends; Ctrl-C ends at once and returns them.`,
        "Taking no more jobs. Waiting up to 30 s for running jobs.",
        "Ended. Jobs done: 2, failed attempts: 0. Remaining jobs wait for the next worker.",
        "",
      ].join("\n"),
    )
    const store = await openStore(folder)
    expect([await store.jobs.dead(), (await store.check()).ok]).toEqual([[], true])
    await store.close()
  })

  test("tells the time that a job took in whole milliseconds", async () => {
    const own = worker(await withJobs("c1"), () => judged)
    await own.shows("done")
    own.terminate()
    await own.code
    const [, ms] = / (\d+) ms /.exec(own.written.stdout) ?? []
    expect([Number(ms) % 1_250, Number(ms) > 0]).toEqual([Math.round((Number(ms) / 1_250) * 0.4), true])
  })

  test("tells a failed attempt with its number and reason, and counts it apart", async () => {
    const own = worker(
      await withJobs("c1"),
      () => {
        throw new Error("no \u001b[2Jdisk")
      },
      "--drain",
      "0",
    )
    await own.shows("failed (1)")
    own.terminate()
    expect(await own.code).toBe(0)
    expect(own.written.stdout.split("\n")[0]).toMatch(/^memory {2}c1 {2}turn-1 {2}\d+ ms {2}failed \(1\): /)
    expect(own.written.stdout).not.toContain("\u001b")
    expect(own.written.stderr).toContain("Waiting up to 0 s for running jobs.")
    expect(own.written.stderr).toContain("Jobs done: 0, failed attempts: 1.")
  })

  test("ends at once with Ctrl-C, and the job stays in the store", async () => {
    const folder = await withJobs("c1")
    let asked = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      asked = resolve
    })
    const own = worker(folder, () => {
      asked()
      return new Promise(() => undefined) as never
    })
    await begun
    own.interrupt()
    expect(await own.code).toBe(130)
    expect(own.written.stdout).toMatch(
      /^memory .* failed \(1\): The job runner was closed before this job was done; it stays for the next one\.\n$/,
    )
    expect(own.written.stderr).not.toContain("Ended.")
    const next = worker(folder, () => judged)
    await next.shows("done")
    next.terminate()
    expect(await next.code).toBe(0)
  })

  test("with --drain 0 a job that does not end is returned on SIGTERM", async () => {
    const { promise: begun, resolve: asked } = Promise.withResolvers<void>()
    const own = worker(
      await withJobs("c1"),
      () => {
        asked()
        return new Promise(() => undefined) as never
      },
      ...["--drain", "0"],
    )
    await begun
    own.terminate()
    expect(await own.code).toBe(0)
    expect(own.written.stdout).toMatch(/^memory .* failed \(1\): The job runner was closed before this job was done/)
    expect(own.written.stderr).toContain("Ended. Jobs done: 0, failed attempts: 1.")
  })

  test("says that it works with the demo, and ends with 0 on SIGTERM, not before", async () => {
    const args = ["worker", plainProfile, "--locale", "en", "--data-dir", tempFolder()]
    const own = start(args, { env: { PROMPTSTRATA_STORE: "", PROMPTSTRATA_MODEL: "demo" } })
    await expect.poll(() => own.written.stderr).toContain("SIGTERM")
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(own.written.stderr).not.toContain("Ended.")
    own.terminate()
    expect(await own.code).toBe(0)
    expect(own.written.stderr).toMatch(/demo.*Ended\./s)
  })

  test.each([["--no-store"], ["--store", "none"]])("with %s says that it needs a store", async (...options) => {
    expect(await run(["worker", plainProfile, ...options])).toEqual({
      code: 2,
      stdout: "",
      stderr: "error: A worker needs a store. Set --store or PROMPTSTRATA_STORE, for example to postgres://user@host/database.\n",
    })
  })
})
