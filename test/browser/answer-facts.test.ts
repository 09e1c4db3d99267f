import { expect, test } from "vitest"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { finish } from "../support/agents.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()

const cited = "javascript:window.ran=1"

/** A model whose provider tells who served the answer, and which links to a host that nobody named. */
const model: LanguageModel = {
  id: "openrouter:auto",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: finish("See [it](https://evil.test/x?q=1).") }
    yield {
      type: "report",
      report: { model: "maker/small-<b>1</b>", serviceTier: "flex", citations: ["https://a.test/1", cited] },
    }
    yield { type: "usage", usage: { inputTokens: 9, outputTokens: 2, costUsd: 0.0031 } }
    yield { type: "finish", reason: "stop" }
  },
}

test("T46 T47 the page shows what the provider tells of an answer, and the links that were removed, in both languages", async () => {
  const { page, session, problems } = await open([], { model, profile: { ...english, output: { links: ["good.test"] } } })
  await session.send("Where is it?").result
  const facts = page.getByRole("region", { name: "The provider about this answer" })
  await facts.getByText("served by maker/small-<b>1</b>").waitFor()
  expect(await facts.locator("p").first().textContent()).toMatch(/service tier flex\s+price it names 0\.0031 USD/u)
  await facts.getByText("2 cited addresses").click()
  expect(await facts.getByRole("listitem").allTextContents()).toEqual(["https://a.test/1", cited])
  expect(await facts.getByRole("link").count()).toBe(0)
  expect(await facts.locator(".removed").textContent()).toMatch(/^Links removed: .*evil\.test/u)
  expect(await violations(page)).toEqual([])
  await page.getByRole("button", { name: "中文" }).click()
  const zh = page.getByRole("region", { name: "服务商对这个回答的说明" })
  expect(await zh.locator("p").first().textContent()).toMatch(/^实际模型 maker.*服务等级 flex\s+报出的价格 0\.0031 USD/u)
  expect(await violations(page)).toEqual([])
  expect(problems).toEqual([])
})
