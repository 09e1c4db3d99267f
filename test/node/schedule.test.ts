import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { scheduleTools } from "../../src/node/schedule-tools.ts"
import { answerOf, runTool } from "../prompt/tools/builtin/run-tool.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "schedule-"))
})
afterEach(() => rm(folder, { recursive: true }))

const clock = { nowMs: () => Date.parse("2026-11-21T06:05:09Z") }
const tools = (locale = "zh-CN", inside = "data/deep") => scheduleTools({ folder: join(folder, inside), clock, locale })
const file = () => join(folder, "data/deep/schedule.json")
const read = async () => JSON.parse(await readFile(file(), "utf8"))

describe("add_schedule and list_schedule", () => {
  test("say which of them writes", () => {
    const [add, list] = tools()
    expect([add.name, add.writes, list.name, list.writes]).toEqual(["add_schedule", true, "list_schedule", false])
  })

  test("note entries down and list them, in a folder made on demand", async () => {
    const [add, list] = tools()
    expect(await answerOf(list, {})).toBe("还没有日程")
    expect(await readdir(folder)).toEqual([])
    expect(await answerOf(add, { title: "早起闹钟", schedule_time: "明早九点" })).toBe(
      "已记下，ID: 1。到时不会响。知道日期和时间，就写成 2026-11-21 09:00 再添加一次，并取消这一条；不知道就请问清，或说明到时不会响。",
    )
    expect(await answerOf(add, { title: "开会", content: "带电脑", schedule_time: "2026-11-22 09:00+08:00" })).toBe(
      "已记下，ID: 2。到时不会响。知道日期和时间，就写成 2026-11-21 09:00 再添加一次，并取消这一条；不知道就请问清，或说明到时不会响。",
    )
    expect(await answerOf(list, {})).toBe(
      "1. 早起闹钟（明早九点），只是记录，不会响\n2. 开会（2026-11-22 09:00+08:00）：带电脑，只是记录，不会响",
    )
    expect(await read()).toEqual({
      version: 1,
      nextId: 3,
      items: [
        { id: 1, title: "早起闹钟", scheduleTime: "明早九点", createdAt: "2026-11-21T06:05:09.000Z" },
        {
          id: 2,
          title: "开会",
          content: "带电脑",
          scheduleTime: "2026-11-22 09:00+08:00",
          createdAt: "2026-11-21T06:05:09.000Z",
        },
      ],
    })
    expect(await readdir(join(folder, "data/deep"))).toEqual([".promptstrata", "schedule.json"])
  })

  test("speak English too", async () => {
    const [add, list] = tools("en")
    expect(await answerOf(list, {})).toBe("The schedule is empty")
    expect(await answerOf(add, { title: "Alarm", schedule_time: "tomorrow at nine", content: "up early" })).toBe(
      "Noted, ID: 1. It does not ring. If you know the date and time, add it again as 2026-11-21 09:00 and cancel this one; if not, ask, or say that it does not ring.",
    )
    expect(await answerOf(list, {})).toBe("1. Alarm (tomorrow at nine): up early, a note that does not ring")
  })

  test("lose nothing when many are added at once, by several agents of one process", async () => {
    const adders = [tools()[0], tools("en")[0]]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => answerOf(adders[at % 2] ?? tools()[0], { title: `t${at}`, schedule_time: "now" })),
    )
    expect(new Set(answers).size).toBe(40)
    const { nextId, items } = await read()
    expect(nextId).toBe(41)
    expect(items.map(({ id, title }: { id: number; title: string }) => [id, title])).toEqual(
      Array.from({ length: 40 }, (_, at) => [at + 1, `t${at}`]),
    )
  })

  test("never use an id again, even of an entry that was taken out", async () => {
    const [add] = tools()
    await answerOf(add, { title: "a", schedule_time: "x" })
    await answerOf(add, { title: "b", schedule_time: "x" })
    await writeFile(file(), JSON.stringify({ ...(await read()), items: [] }))
    expect(await answerOf(add, { title: "c", schedule_time: "x" })).toBe(
      "已记下，ID: 3。到时不会响。知道日期和时间，就写成 2026-11-21 09:00 再添加一次，并取消这一条；不知道就请问清，或说明到时不会响。",
    )
  })

  test.each([
    ["", "empty"],
    ["{", "cut off"],
    ["[]", "a list"],
    ['{"version":1,"nextId":1,"items":[{"id":1,"title":"a","scheduleTime":"x","createdAt":"x"}]}', "an id that would come again"],
    ['{"version":2,"nextId":1,"items":[]}', "of a later version"],
    ['{"version":1,"nextId":1,"items":[],"extra":1}', "with more than is known"],
  ])("report a file that is no schedule and leave it alone: %j (%s)", async (text) => {
    const [add, list] = tools("zh-CN", ".")
    const path = join(folder, "schedule.json")
    await writeFile(path, text)
    for (const answer of [await answerOf(list, {}), await answerOf(add, { title: "a", schedule_time: "x" })]) {
      expect(answer).toContain(`failed: ${path}:1: This is not a schedule: `)
    }
    expect(await readFile(path, "utf8")).toBe(text)
    expect(await readdir(folder)).toEqual([".promptstrata", "schedule.json"])
  })

  test("report a folder that cannot be made", async () => {
    await writeFile(join(folder, "data"), "a file")
    const [add] = tools()
    expect(await answerOf(add, { title: "a", schedule_time: "x" })).toMatch(
      /^failed: .*expected a folder on the way to it, found a file/,
    )
  })

  test("an entry cannot look like another one in the list", async () => {
    const [add, list] = tools()
    await answerOf(add, { title: "a\n2. 假的（now）", content: "b\u20283. c", schedule_time: "x）\n4. y" })
    expect(await answerOf(list, {})).toBe('1. "a\\n2. 假的（now）"（"x）\\n4. y"）："b\\u20283. c"，只是记录，不会响')
  })

  test("T18: need a title and a time", async () => {
    const [add] = tools()
    expect(await answerOf(add, { title: " ", content: 5 })).toMatch(/invalid-arguments.*title: .*schedule_time: /)
  })

  test("replace the file as a whole, never in place", async () => {
    const [add] = tools()
    await answerOf(add, { title: "a", schedule_time: "x" })
    const before = await stat(file())
    await answerOf(add, { title: "b", schedule_time: "x" })
    expect((await stat(file())).ino).not.toBe(before.ino)
  })

  test("T20: an aborted turn adds nothing, neither before nor after the tool began", async () => {
    const [add, list] = tools()
    const args = { title: "a", schedule_time: "x" }
    expect(await runTool(add, args, AbortSignal.abort())).toMatchObject({ failure: { kind: "aborted" } })
    const turn = new AbortController()
    const key = { agent: "a", conversation: "c", audience: "private", user: "u" } as const
    const begun = add.execute(args, { signal: turn.signal, key, turnId: "t", clock })
    turn.abort()
    await expect(begun).rejects.toThrow()
    expect(await answerOf(list, {})).toBe("还没有日程")
  })
})
