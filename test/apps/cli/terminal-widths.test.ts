import { expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import { displayWidth } from "../../../src/core/display-width.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, run } from "./run.ts"

const key: ServiceKey = { agent: "plain", conversation: "terminal", audience: "private", user: "user" }
const texts = [
  "我今天下午去了图书馆，借了三本关于灯塔的书，还遇到了老朋友",
  "Tea, and a long walk along the harbour with an old friend of hers",
]
/** As long as an id of the host. */
const idOf = (at: number) => `turn_${String(at).repeat(32)}:0`
const value = "一个住在海边的人，喜欢灯塔，也喜欢在下雨的时候散步 who has a very long story to tell about all of it"

async function filled(): Promise<string> {
  const folder = tempFolder()
  const store = await openStore(folder)
  const speaker = { id: "user", name: "住在海边的小明同学" }
  for (const [at, text] of texts.entries()) {
    const said = { ...key, id: idOf(at), kind: "dialogue", text, speaker, atMs: at, turnId: `t${at}`, turn: at } as const
    await store.memories.put(said, { hash: text, key })
  }
  const fact = {
    name: "about",
    value,
    confidence: 0.5,
    turnId: "t1",
    conversation: "terminal",
    audience: "private",
    atMs: 1,
  } as const
  await store.users.append([fact], { turnId: "t1", expectVersion: 0, key })
  await store.receipts.put({
    ...{ key, turnId: "t1", attempt: 1, durationMs: 12, startedMs: 60_000, kind: "importance-and-profile", outcome: "failed" },
    message: value,
  })
  const payload = { reason: value, timeZone: "America/Argentina/Buenos_Aires", repeat: "0 8 * * 1-5" }
  await store.wakes.put({ id: "w", kind: "wake", key, turnId: "wake_8c99348e", atMs: 0, dueMs: 9_000_000, payload })
  await store.close()
  return folder
}

const commands = [
  ["memory", "list"],
  ["memory", "search", "图书馆的书"],
  ["memory", "why", "图书馆的书"],
  ["memory", "receipts"],
  ["user", "show", "user"],
  ["schedule", "list"],
]
const looks = [60, 80, 200].flatMap((columns) =>
  ["en", "zh-CN"].flatMap((locale) => ["NO_COLOR", "FORCE_COLOR"].map((colour) => ({ columns, locale, colour }))),
)

test.each(looks)("on a terminal of $columns columns, in $locale, with $colour, no line of a table is wider", async (look) => {
  const { columns, locale, colour } = look
  const folder = await filled()
  for (const command of commands) {
    const env = { PROMPTSTRATA_STORE: "", [colour]: "1" }
    const args = [...command, "--profile", plainProfile, "--data-dir", folder, "--locale", locale]
    const { code, stdout } = await run(args, { terminal: true, columns, env })
    expect([command, code]).toEqual([command, 0])
    expect(stdout).toMatch(/我今天|住在|importance/)
    expect(stdout.split("\n").filter((line) => displayWidth(line) > columns)).toEqual([])
  }
})

test("an id is whole where the terminal has 60 columns, and a column … stands for those that are left out", async () => {
  const args = ["memory", "list", "--profile", plainProfile, "--data-dir", await filled()]
  const { stdout } = await run(args, { terminal: true, columns: 60, env: { PROMPTSTRATA_STORE: "" } })
  expect(stdout.split("\n")[1]).toBe(`${idOf(0)}  …  我今天下午去了…`)
})

test.each(["en", "zh-CN"])(
  "N38 at 80 columns a search shows if a turn would recall it, the whole id, and more of the text, in %s",
  async (locale) => {
    const args = ["memory", "search", "灯塔", "--profile", plainProfile, "--data-dir", await filled(), "--locale", locale]
    const { stdout } = await run(args, { terminal: true, columns: 80, env: { PROMPTSTRATA_STORE: "" } })
    const found = stdout.split("\n")[1]?.split(/ {2,}/u) ?? []
    expect(found.slice(0, 2)).toEqual([locale === "en" ? "yes" : "是", idOf(0)])
    expect(found.at(-1)).toMatch(/^我今天下午去了图书馆.*…$/u)
  },
)

test.each(["en", "zh-CN"])("N38 a search says for whom it looked, where the list shows more, in %s", async (locale) => {
  const folder = await filled()
  const store = await openStore(folder)
  const group = { ...key, conversation: "茶会", audience: "group", user: "ann" } as const
  const said = {
    ...group,
    id: "g",
    kind: "dialogue",
    text: "灯塔很远",
    speaker: { id: "ann", name: "Ann" },
    atMs: 3,
    turnId: "g",
    turn: 1,
  } as const
  await store.memories.put(said, { hash: "g", key: group })
  await store.close()
  const search = async (...more: readonly string[]) => {
    const args = ["memory", "search", "灯塔", "--profile", plainProfile, "--data-dir", folder, "--locale", locale, ...more]
    return (await run(args, { env: { PROMPTSTRATA_STORE: "" } })).stderr
  }
  const told =
    locale === "en"
      ? [
          "memories of user. Not looked at, of other users and groups: 1",
          "memories of #茶会. Not looked at, of other users and groups: 2",
        ]
      : ["只查看了 user 的记忆。其他用户和群的 1 条", "只查看了 #茶会的记忆。其他用户和群的 2 条"]
  expect(await search()).toContain(told[0])
  expect(await search("--conversation", "茶会")).toContain(told[1])
})
