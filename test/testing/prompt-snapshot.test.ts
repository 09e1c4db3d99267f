import { afterEach, expect, test, vi } from "vitest"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { loadProfile } from "../../src/node/index.ts"
import { formatAssembly } from "../../src/testing/format-assembly.ts"
import { manualClock, scriptedModel } from "../../src/testing/index.ts"
import { tempFolder } from "../support/temp-folder.ts"

afterEach(() => void vi.useRealTimers())

test("a snapshot with a manual clock, as in the README, is the same at every time and in every zone", async () => {
  const path = `${tempFolder({ "a.toml": 'extends = "fay"\nlocale = "en"\ntime_zone = "Asia/Tokyo"\n' })}/a.toml`
  const snapshot = async (now: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now })
    const clock = manualClock(Date.UTC(2026, 0, 1))
    const agent = createAgent({ profile: await loadProfile(path, { clock }), model: scriptedModel([]), ports: { clock } })
    return formatAssembly(await agent.session("test").preview("What time is it?"))
  }
  const first = await snapshot(0)
  expect(first).toContain("2026-01-01 09:00:00 Thursday (Asia/Tokyo, UTC+09:00)")
  expect(await snapshot(1e12)).toBe(first)
})
