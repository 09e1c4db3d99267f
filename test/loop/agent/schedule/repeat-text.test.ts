import { describe, expect, test } from "vitest"
import { repeatText } from "../../../../src/loop/agent/schedule/repeat-text.ts"
import { manualClock, scriptedModel } from "../../../../src/testing/index.ts"
import { testAgent } from "../../../support/agents.ts"

describe("N36 the moments of a reminder that repeats", () => {
  test.each([
    ["5 * * * *", "every hour at minute 05", "每小时的 05 分"],
    ["0 8 * * *", "every day at 08:00", "每天 08:00"],
    ["30 18 * * 1-5", "Monday to Friday at 18:30", "周一到周五 18:30"],
    ["0 8 * * 1", "every Monday at 08:00", "每周一 08:00"],
    ["0 8 * * 7", "every Sunday at 08:00", "每周日 08:00"],
    ["0 8 * * 2,4,6", "every Tuesday, Thursday, and Saturday at 08:00", "每周二、周四和周六 08:00"],
    ["0 8 15 * *", "every month on day 15 at 08:00", "每月 15 日 08:00"],
    ["0 8 28 * *", "every month on day 28 at 08:00", "每月 28 日 08:00"],
    ["0 8 30 * *", "every month on day 30, in months that have it, at 08:00", "每月 30 日（没有这一天的月份不响） 08:00"],
    ["0 8 L * *", "on the last day of every month at 08:00", "每月最后一天 08:00"],
    ["0 8 29 2 *", "every year on February 29 at 08:00", "每年 2月29日 08:00"],
  ])("%s are told in words", (pattern, english, chinese) => {
    expect(["en", "en-GB", "zh-CN", "zh"].map((locale) => repeatText(pattern, locale))).toEqual([
      ...[english, english, chinese, chinese],
    ])
  })

  test.each(["*/30 8 * * *", "0 8-18 * * *", "0 8 * * MON", "0 8 1,15 * *", "0 8 1 * 1"])("%s have no short words", (pattern) => {
    expect(repeatText(pattern, "en")).toBe(pattern)
  })

  test("are in words for every word that a reminder is set with, also in a locale that nobody speaks", async () => {
    const { session } = testAgent(scriptedModel([]), { timeZone: "Asia/Shanghai" }, { ports: { clock: manualClock(1) } })
    for (const repeat of ["hourly", "daily", "weekdays", "weekly", "monthly", "yearly"]) {
      const { repeat: pattern = "" } = await session.wakeAt("+1d", "x", { repeat })
      expect(repeatText(pattern, "?")).toMatch(/^(?:every|Monday)/u)
    }
    const { repeat: lastDays = "" } = await session.wakeAt("1970-01-31 08:00", "x", { repeat: "monthly" })
    expect(repeatText(lastDays, "en")).toBe("on the last day of every month at 08:00")
  })
})
