import { describe, expect, onTestFinished, test, vi } from "vitest"
import { currentTimeTool } from "../../../../src/node/builtin-tools.ts"
import { answerOf } from "./run-tool.ts"

const at = (iso: string) => ({ nowMs: () => Date.parse(iso) })
const shanghai = { timeZone: "Asia/Shanghai", locale: "zh-CN" }

describe("current_time", () => {
  const tool = currentTimeTool({ clock: at("2026-11-21T06:05:09Z"), ...shanghai })

  test("may be called again in one turn", () =>
    expect(tool).toMatchObject({ name: "current_time", repeatable: true, writes: false }))

  test("tells the time in the zone of the host if it has none, by the name that the host gives it", async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const [name, zone] of [
      ["Asia/Kolkata", "Asia/Kolkata, UTC+05:30"],
      ["UTC", "UTC, UTC+00:00"],
      ["Asia/Nowhere", "UTC, UTC+00:00"],
    ] as const) {
      vi.stubEnv("TZ", name)
      const own = currentTimeTool({ clock: at("2026-11-21T06:05:09Z"), locale: "en" })
      expect(await answerOf(own, {}), name).toContain(`(${zone})`)
    }
  })

  test.each([[{}], [{ timezone: "" }], [{ timezone: null }], [{ other: 1 }]])(
    "tells the time of its own zone for %j",
    async (args) => {
      expect(await answerOf(tool, args)).toBe("2026-11-21 14:05:09 星期六 (Asia/Shanghai, UTC+08:00)")
    },
  )

  test.each([
    ["Europe/London", "2026-11-21 06:05:09 Saturday (Europe/London, UTC+00:00)"],
    ["america/st_johns", "2026-11-21 02:35:09 Saturday (America/St_Johns, UTC-03:30)"],
    ["America/New York", "2026-11-21 01:05:09 Saturday (America/New_York, UTC-05:00)"],
    ["Pacific/Kiritimati", "2026-11-21 20:05:09 Saturday (Pacific/Kiritimati, UTC+14:00)"],
    ["Asia/Kolkata", "2026-11-21 11:35:09 Saturday (Asia/Kolkata, UTC+05:30)"],
    ["Europe/Kyiv", "2026-11-21 08:05:09 Saturday (Europe/Kyiv, UTC+02:00)"],
    ["America/Argentina/Buenos Aires", "2026-11-21 03:05:09 Saturday (America/Argentina/Buenos_Aires, UTC-03:00)"],
    ["europe/kyiv", "2026-11-21 08:05:09 Saturday (Europe/Kiev, UTC+02:00)"],
    ["UTC", "2026-11-21 06:05:09 Saturday (UTC, UTC+00:00)"],
    ["UTC+8", "2026-11-21 14:05:09 Saturday (+08:00, UTC+08:00)"],
    ["-0330", "2026-11-21 02:35:09 Saturday (-03:30, UTC-03:30)"],
  ])("tells the time of %s", async (timezone, answer) => {
    expect(await answerOf(currentTimeTool({ clock: at("2026-11-21T06:05:09Z"), locale: "en" }), { timezone })).toBe(answer)
  })

  test("midnight is 00:00:00 and summer time counts", async () => {
    const midnight = currentTimeTool({ clock: at("2026-06-30T22:00:00Z"), locale: "en", timeZone: "Europe/Berlin" })
    expect(await answerOf(midnight, {})).toBe("2026-07-01 00:00:00 Wednesday (Europe/Berlin, UTC+02:00)")
  })

  test("makes the formats of a zone once", async () => {
    await answerOf(tool, {})
    const made = vi.spyOn(Intl, "DateTimeFormat")
    onTestFinished(() => made.mockRestore())
    expect(await answerOf(currentTimeTool({ clock: at("2026-11-22T06:05:09Z"), ...shanghai }), {})).toContain("2026-11-22")
    expect(made).not.toHaveBeenCalled()
  })

  test("without a zone it takes the host's", async () => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
    expect(await answerOf(currentTimeTool({ clock: at("2026-11-21T06:05:09Z"), locale: "en" }), {})).toContain(`(${zone}, `)
  })

  test.each([
    ["shanghai", "Asia/Shanghai"],
    ["China/Shanghai", "Asia/Shanghai"],
    ["Asia/Shangai", "Asia/Shanghai"],
    ["new york", "America/New_York"],
    ["Manauq", "America/Manaus, America/Managua, Asia/Macau"],
  ])("T18: names zones near to the unknown %s", async (timezone, near) => {
    const answer = await answerOf(tool, { timezone })
    expect(answer).toMatch(/^failed: 没有名为 ".*" 的时区。相近的有：/)
    expect(answer).toContain(near)
  })

  test.each(["Nowhere/Nothing at all", "x".repeat(1_000_000), "a\nb", "+99"])(
    "T18: an unknown zone without a near one is an error too",
    async (timezone) => {
      const answer = await answerOf(tool, { timezone })
      expect(answer).toMatch(/^failed: 没有名为 "[^\n]*" 的时区。请使用 IANA 时区名，例如 Asia\/Shanghai。$/)
      expect(answer.length).toBeLessThan(300)
    },
  )

  test("T18: a zone that is no text is an argument error", async () => {
    expect(await answerOf(tool, { timezone: ["UTC"] })).toMatch(/invalid-arguments.*timezone: /)
  })
})
