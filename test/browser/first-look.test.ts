import { expect, test } from "vitest"
import { finish } from "../support/agents.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()

test("a page without turns says how to get one, once", async () => {
  const { page, problems } = await open([], { profile: english, chat: true })
  await page.getByRole("main").getByText("No turn yet.").waitFor()
  expect(await page.getByText("No turn yet.").count()).toBe(1)
  expect(await violations(page)).toEqual([])
  expect(problems).toEqual([])
})

test("a turn without money says why; a small budget tells what it leaves free; bars stay in their column", async () => {
  const answers = Array.from({ length: 9 }, () => finish("word ".repeat(60)))
  const { page, session, problems } = await open(answers, { profile: english })
  for (let at = 0; at < 9; at++) await session.send(`Question ${at}.`).result
  const main = page.getByRole("main")
  await main.getByText("Without money: scripted did not tell how many tokens").waitFor()
  await page.getByRole("slider").fill("800")
  await main.getByText(/tokens are free.*history is cut in steps/u).waitFor()
  expect(await violations(page)).toEqual([])
  await main.getByRole("tab", { name: "Waterfall" }).click()
  await main.locator(".time").first().waitFor()
  const outside = await main
    .locator(".lane")
    .evaluateAll((lanes) =>
      lanes.filter(
        (lane) => (lane.firstElementChild?.getBoundingClientRect().left ?? 0) > lane.getBoundingClientRect().right + 1,
      ),
    )
  expect(outside).toEqual([])
  await page.setViewportSize({ width: 380, height: 800 })
  await main.getByRole("tab", { name: "Prompt" }).click()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380)
  expect(problems).toEqual([])
})
