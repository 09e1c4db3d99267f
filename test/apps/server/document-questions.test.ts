import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { openDocuments } from "../../../src/node/living-documents.ts"
import { countingIds, expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"

afterEach(expectScriptsDone)

const change = callTool("edit", { path: "SOUL.md", old_text: "小鱼", new_text: "小鸟" })
const ids = countingIds()

/** A server of a character whose SOUL.md is in a folder. A second one over the same store and folder is the server after a restart. */
async function serverOf(folder: string, store: Store, answers: readonly string[]) {
  const { hook } = await openDocuments(folder, { locale: "en" })
  const profile = { dialect: "soul", persona: "", locale: "en" }
  const { agent } = testAgent(scriptedModel(answers), profile, { store, hooks: [hook], runJobs: false, ports: { ids } })
  const handle = createHandler({
    agents: { fay: agent },
    authorize: () => ({ user: "ann", name: "Ann", conversation: "home" }),
    onError: () => undefined,
  })
  const post = async (path: string, body: object) => {
    const response = await handle(new Request(`http://bot.test${path}`, { method: "POST", body: JSON.stringify(body) }))
    const { choices, error } = (await response.json()) as Answer
    return choices?.[0]?.message ?? error
  }
  const say = (content: string) => post("/v1/chat/completions", { model: "fay", messages: [{ role: "user", content }] })
  return { say, post }
}

interface Answer {
  readonly choices?: readonly { readonly message: Message }[]
  readonly error?: Message
}
interface Message {
  readonly content?: string
  readonly message?: string
  readonly approvals?: readonly { readonly code: string }[]
}

test("N43, D9 a change of SOUL.md is asked about with what changes, waits over a restart, and is made once", async () => {
  const folder = tempFolder({ "SOUL.md": "我叫小鱼。\n" })
  const store = createInMemoryStore()
  const soul = () => readFileSync(join(folder, "SOUL.md"), "utf8")
  const asked = await (await serverOf(folder, store, [change])).say("Be a bird.")
  expect(asked?.content).toMatch(/^Ann, may I do this\? change SOUL\.md\n(?:.|\n)*-我叫小鱼。\n\+我叫小鸟。\n/)
  expect(soul()).toBe("我叫小鱼。\n")
  const { say, post } = await serverOf(folder, store, [finish("I am a bird.")])
  const code = asked?.approvals?.[0]?.code
  expect(await say(`yes ${code}`)).toMatchObject({ content: "I am a bird." })
  expect(soul()).toBe("我叫小鸟。\n")
  expect(await post(`/v1/approvals/${code}`, { approved: true })).toMatchObject({
    message: expect.stringContaining("answered already"),
  })
})

test("N43 a yes to a change of SOUL.md does not count for another one, because somebody has edited the file meanwhile", async () => {
  const folder = tempFolder({ "SOUL.md": "我叫小鱼。\n" })
  const store = createInMemoryStore()
  const asked = await (await serverOf(folder, store, [change])).say("Be a bird.")
  writeFileSync(join(folder, "SOUL.md"), "我叫小鱼，住在海里。\n")
  const { say } = await serverOf(folder, store, [finish("I stay a fish.")])
  const again = await say(`yes ${asked?.approvals?.[0]?.code}`)
  expect(again?.content).toContain("+我叫小鸟，住在海里。")
  expect(await say(`no ${again?.approvals?.[0]?.code}`)).toMatchObject({ content: "I stay a fish." })
  expect(readFileSync(join(folder, "SOUL.md"), "utf8")).toBe("我叫小鱼，住在海里。\n")
})

test("N43 a yes to exactly this change is enough over a restart, also where the prompt shows a part and the turn had read the rest", async () => {
  const soul = `我叫小鱼。\n${"我住在海里，每天唱歌。\n".repeat(3_000)}`
  const folder = tempFolder({ "SOUL.md": soul })
  const now = () => readFileSync(join(folder, "SOUL.md"), "utf8")
  const read = callTool("read", { path: "SOUL.md", limit: 1 })
  const answered = async (steps: readonly string[], between: () => void) => {
    const store = createInMemoryStore()
    const asked = await (await serverOf(folder, store, steps)).say("Be a bird.")
    between()
    const { say } = await serverOf(folder, store, [finish("Well.")])
    return say(`yes ${asked?.approvals?.[0]?.code}`)
  }
  // Another change than that is refused unless the file is read again.
  const other = soul.replace("我叫小鱼。", "我叫小鱼，不叫别的。")
  expect(await answered([read, change], () => writeFileSync(join(folder, "SOUL.md"), other))).toMatchObject({ content: "Well." })
  expect(now()).toBe(other)
  // A change that was not read is not even asked about.
  expect(await answered([change, read, change], () => undefined)).toMatchObject({ content: "Well." })
  expect(now()).toBe(other.replace("小鱼", "小鸟"))
})

test("N43 so it is for a file that the turn had read and writes anew", async () => {
  const lines = Array.from({ length: 1_750 }, () => "我住在海里，每天唱歌。\n")
  const soul = ["我叫小鱼。\n", ...lines].join("")
  const folder = tempFolder({ "SOUL.md": soul })
  const now = () => readFileSync(join(folder, "SOUL.md"), "utf8")
  const parts = Array.from({ length: 3 }, (_, at) => callTool("read", { path: "SOUL.md", offset: 1 + at * 700, limit: 700 }))
  const write = callTool("write", { path: "SOUL.md", content: "我叫小鸟。\n" })
  const answered = async (between: () => void) => {
    const store = createInMemoryStore()
    const asked = await (await serverOf(folder, store, [...parts, write])).say("Be a bird.")
    expect(asked?.content).toContain("change SOUL.md")
    between()
    const { say } = await serverOf(folder, store, [finish("Well.")])
    return say(`yes ${asked?.approvals?.[0]?.code}`)
  }
  const other = soul.replace("我叫小鱼。", "我叫小鱼，不叫别的。")
  expect(await answered(() => writeFileSync(join(folder, "SOUL.md"), other))).toMatchObject({ content: "Well." })
  expect(now() === other).toBe(true)
  expect(await answered(() => undefined)).toMatchObject({ content: "Well." })
  expect(now()).toBe("我叫小鸟。\n")
})
