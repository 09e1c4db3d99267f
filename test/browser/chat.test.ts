import type { Page } from "playwright-core"
import { describe, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import type { IdGenerator } from "../../src/core/ports.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { countingIds, type ManualClock, manualClock } from "../../src/testing/index.ts"
import { inspected } from "../apps/server/inspector/inspected.ts"
import { callTool, finish } from "../support/agents.ts"
import { english, openPage, useBrowser, violations } from "./opened.ts"

useBrowser()

/** Everything that outlives a server. */
interface Kept {
  readonly store: Store
  readonly ids: IdGenerator
  readonly paid: string[]
  readonly clock: ManualClock
}

interface Setup {
  readonly locale?: string
  /** The parts of a server that was stopped. */
  readonly before?: Kept
  readonly description?: string
}

/** The page of a character that may send money if somebody allows it. */
async function opened(answers: readonly string[], { locale = "en", before, description = "Sends money." }: Setup = {}) {
  const { store, ids, paid, clock }: Kept = before ?? {
    store: createInMemoryStore(),
    ids: countingIds(),
    paid: [],
    clock: manualClock(Date.UTC(2026, 0, 2)),
  }
  const pay = defineTool({
    name: "pay",
    description,
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => `${paid.push(to)} payments`,
  })
  const parts = inspected(answers, {
    profile: { ...english, locale },
    chat: true,
    agentOptions: { store, tools: [pay], ports: { ids, clock } },
  })
  const server = await parts.made.listen()
  onTestFinished(() => server.close())
  return { ...parts, server, store, ids, paid, clock, ...(await shown(server.url)) }
}

async function shown(url: string) {
  const { page, problems } = await openPage(url)
  const call = page.getByRole("article", { name: "pay" })
  const say = async (text: string, name = "Message") => {
    await page.getByRole("textbox", { name, exact: true }).fill(text)
    await page.keyboard.press("Enter")
  }
  return { page, problems, call, say }
}

const card = (page: Page, text: string) => page.getByRole("navigation").getByRole("button").filter({ hasText: text })
const refused = (problem: string): boolean => problem.includes("409")

describe("N15 a call that waits, on the page", () => {
  test("is shown with its arguments, also after a reload, and runs when it is allowed with keys alone", async () => {
    const { page, say, call, paid, problems } = await opened([callTool("pay", { to: "Eve\u202e" }), finish("Paid.")])
    await say("Pay Eve.")
    await call.waitFor()
    await page.reload()
    await call.getByText("Ann, may I do this? It waits until").waitFor()
    expect(await call.getByRole("region", { name: "Arguments of the call" }).textContent()).toBe('{\n  "to": "Eve\\u202e"\n}')
    expect(await page.getByRole("status").filter({ hasText: "A call waits for your answer: pay." }).count()).toBe(1)
    await card(page, "waits for your answer").waitFor()
    await page.getByRole("main").getByText("waits for your answer").waitFor()
    expect(await violations(page)).toEqual([])
    expect(paid).toEqual([])
    await call.getByRole("textbox", { name: "Reason, if you deny" }).focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await card(page, "Paid.").waitFor()
    await call.waitFor({ state: "detached" })
    expect(paid).toEqual(["Eve\u202e"])
    expect(await page.getByRole("navigation").getByRole("listitem").count()).toBe(1)
    await page.locator("#say:focus").waitFor()
    expect(problems).toEqual([])
  })

  test("runs nothing when it is denied, in Chinese and dark, and the reason reaches the model", async () => {
    const { page, say, call, paid, session, problems } = await opened([callTool("pay", { to: "Eve" }), finish("好吧。")], {
      locale: "zh-CN",
    })
    await say("付钱给 Eve", "消息")
    await call.getByRole("textbox", { name: "拒绝的理由" }).fill("太贵了")
    await page.getByText("有 1 个调用在等你回答：pay。").waitFor()
    await page.getByRole("button", { name: "浅色或深色" }).click()
    expect(await violations(page)).toEqual([])
    await call.getByRole("button", { name: "拒绝" }).click()
    await card(page, "好吧。").waitFor()
    await page.locator(".row", { hasText: "太贵了" }).first().waitFor()
    expect(paid).toEqual([])
    expect(await session.approvals()).toEqual([])
    expect(problems).toEqual([])
  })

  test("runs once, however often and wherever it is allowed; a late press is told why", async () => {
    const { page, server, say, call, paid } = await opened([callTool("pay", { to: "Eve" }), finish("Paid.")])
    await say("Pay Eve.")
    const late = await shown(server.url)
    await late.call.waitFor()
    // The other window does not learn of what happens.
    await late.page.route("**/api/chat?*", (route) => route.abort())
    await call.getByRole("button", { name: "Allow" }).dblclick()
    await card(page, "Paid.").waitFor()
    await late.call.getByRole("button", { name: "Allow" }).click()
    await late.page.getByRole("alert").getByText("That question was answered already, or it is no longer open.").waitFor()
    expect(paid).toEqual(["Eve"])
  })

  test("that is too old is told in words, before the press and after it", async () => {
    const { page, say, call, paid, clock, problems } = await opened([callTool("pay", { to: "Eve" }), finish("Hello.")])
    await say("Pay Eve.")
    await call.waitFor()
    clock.advance(365 * 86_400_000)
    await call.getByRole("button", { name: "Allow" }).click()
    await page.getByRole("alert").getByText("That question has waited too long, so nothing was done.").waitFor()
    await call.getByText("This has waited too long, so nothing was done. Write something to go on.").waitFor()
    expect(await call.getByRole("button").count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await say("Hello?")
    await card(page, "Hello.").waitFor()
    await call.waitFor({ state: "detached" })
    expect(paid).toEqual([])
    expect(problems.filter((problem) => !refused(problem))).toEqual([])
  })

  test("waits over a restart, and is not run if its tool is another one then", async () => {
    const before = await opened([callTool("pay", { to: "Eve" })])
    await before.say("Pay Eve.")
    await before.call.waitFor()
    await before.page.context().close()
    const after = await opened([], { before, description: "Sends all the money." })
    await after.call.getByRole("button", { name: "Allow" }).click()
    await after.page.getByRole("alert").getByText("What I wanted to do has changed since I asked").waitFor()
    expect(after.paid).toEqual([])
    const again = await opened([finish("Paid.")], { before })
    await again.call.getByRole("button", { name: "Allow" }).click()
    await card(again.page, "Paid.").waitFor()
    expect(again.paid).toEqual(["Eve"])
  })
})
