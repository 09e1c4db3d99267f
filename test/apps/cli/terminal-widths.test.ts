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
