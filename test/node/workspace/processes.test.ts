import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { lockFile } from "../../../src/node/workspace/lock.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { amount } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { checkEdits } from "./support/check-edits.ts"
import { checkKills } from "./support/check-kills.ts"
import { checkSwaps } from "./support/check-swaps.ts"
import { startChild } from "./support/children.ts"
import { failureOf, judgments, leftovers, outcomeOf } from "./support/workspaces.ts"

const by = "test"
const timers = { set: (callback: () => void) => setImmediate(callback), clear: () => {} }

describe("several processes", () => {
  test(`D11 8 processes of ${amount("WORKSPACE_EDITS")} edits each lose none`, async () => {
    await checkEdits({ processes: 8, edits: amount("WORKSPACE_EDITS") })
  })

  test("D11 a process killed while it writes leaves a whole file, loses nothing acknowledged and leaves nothing behind", async () => {
    const rounds = amount("KILL_ROUNDS")
    const { cutOff } = await checkKills({ rounds })
    console.log(`${rounds} kills: ${cutOff} in the midst of a change`)
    // By chance: some thirty of a hundred.
    if (rounds >= 100) expect(cutOff).toBeGreaterThan(0)
  })

  test.each(judgments)(
    `D12 ${amount("SWAP_TRIES")} tries while folders and files are swapped for links, checked as $pathCheck`,
    async ({ pathCheck, fs }) => {
      const tries = amount("SWAP_TRIES")
      const { escapes, refused, naive } = await checkSwaps({ tries: pathCheck === "opened" ? tries : Math.ceil(tries / 10), fs })
      if (pathCheck !== "opened") return
      console.log(`${tries} tries: ${escapes.length} escapes, ${refused} refused; without care ${naive} escapes`)
      expect(escapes).toEqual([])
      // A reader without care is led outside, so the swaps were real; in few tries it may not be met.
      if (tries >= 3_000) expect(naive).toBeGreaterThan(0)
    },
  )
})

describe("the lock", () => {
  const path = () => join(tempFolder({ lock: "" }), "lock")
  const options = { timers, random: () => 0.5, timeoutMs: 200 }

  test("is held by one at a time, and waiting for it ends with file-busy, at the time that was given", async () => {
    const file = path()
    const unlock = await lockFile(file, options)
    const waits: number[] = []
    const counting = {
      ...timers,
      set: (callback: () => void, delayMs: number) => {
        waits.push(delayMs)
        return setImmediate(callback)
      },
    }
    expect(await failureOf(lockFile(file, { ...options, timers: counting, timeoutMs: 1_000 }))).toMatchObject({
      code: "file-busy",
      evidence: { path: "." },
    })
    expect(waits.slice(0, 7)).toEqual([2, 3, 6, 12, 24, 38, 38])
    const waitedMs = waits.reduce((sum, delayMs) => sum + delayMs, 0)
    expect(waitedMs).toBeGreaterThanOrEqual(1_000)
    // The waits grow up to this, so that the lock is taken soon after it is free.
    expect(Math.max(...waits)).toBeLessThanOrEqual(50)
    expect(waits[0]).toBeLessThan(10)
    unlock()
    const again = await lockFile(file, options)
    again()
    expect(readFileSync(file).length).toBe(0)
  })

  test("is taken by who waits as soon as it is free, and given up when the signal says so", async () => {
    const file = path()
    const unlock = await lockFile(file, options)
    const stop = new AbortController()
    const waiting = lockFile(file, { ...options, timeoutMs: Number.POSITIVE_INFINITY })
    const stopped = failureOf(lockFile(file, { ...options, timeoutMs: Number.POSITIVE_INFINITY, signal: stop.signal }))
    stop.abort(new Error("enough"))
    expect(await stopped).toMatchObject({ code: "aborted", cause: { message: "enough" } })
    unlock()
    const release = await waiting
    release()
  })

  test("is never made where it is missing, and a file that holds something is no lock", async () => {
    expect(await outcomeOf(lockFile(`${path()}-missing`, options))).toBe("file")
    const file = join(tempFolder({ lock: "this is not a lock but a text that somebody put here\n".repeat(30) }), "lock")
    const before = readFileSync(file, "utf8")
    expect((await failureOf(lockFile(file, options))).message).toContain("Is .promptstrata/lock an empty file")
    expect(readFileSync(file, "utf8")).toBe(before)
  })

  test("of a process that is killed while it holds it is free at once", async () => {
    const folder = tempFolder({ "MEMORY.md": "" })
    const child = startChild("hold-child", [folder])
    for await (const line of child.lines) if (line === "holding") break
    const workspace = await openFolder(folder, { lockTimeoutMs: 100, timers })
    expect(await outcomeOf(workspace.write("MEMORY.md", "mine", { by }))).toBe("file-busy")
    expect((await workspace.read("MEMORY.md")).text).toBe("")
    child.process.kill("SIGKILL")
    await child.ended
    expect(await workspace.write("MEMORY.md", "mine", { by })).toMatchObject({ path: "MEMORY.md" })
    expect(leftovers(folder)).toEqual([])
  })
})
