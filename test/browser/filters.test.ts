import { expect, test } from "vitest"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { finish } from "../support/agents.ts"
import { english, useBrowser } from "./opened.ts"

const open = useBrowser()

test("a filter follows turns as they change: one that fails comes, one that ends leaves those that run", async () => {
  const gate = Promise.withResolvers<void>()
  const model: LanguageModel = {
    id: "moody",
    capabilities: { developerRole: false, tools: false },
    async *stream({ messages }) {
      const words = messages.at(-1)?.content ?? ""
      if (words.includes("break")) throw new Error("no answer today")
      if (words.includes("wait")) await gate.promise
      yield { type: "text-delta", delta: finish("Yes.") }
      yield { type: "finish", reason: "stop" }
    },
  }
  const { agent, page, problems } = await open([], { model, profile: english })
  const list = page.getByRole("navigation")
  const cards = list.getByRole("listitem")
  await agent.session("one").send("first").result
  await cards.filter({ hasText: "first" }).waitFor()
  await list.getByRole("combobox", { name: "State" }).selectOption("failed")
  await list.getByText("No turn fits the filters.").waitFor()
  await agent.session("two").send("second").result
  await agent.session("three").send("break it").result
  await cards.filter({ hasText: "no answer today" }).waitFor()
  expect(await cards.count()).toBe(1)
  expect(await cards.getByRole("button").getAttribute("class")).toContain("failed")
  await list.getByRole("combobox", { name: "State" }).selectOption("running")
  await list.getByText("No turn fits the filters.").waitFor()
  const waiting = agent.session("four").send("wait for it")
  await cards.filter({ hasText: "wait for it" }).waitFor()
  gate.resolve()
  await waiting.result
  await list.getByText("No turn fits the filters.").waitFor()
  await list.getByRole("combobox", { name: "State" }).selectOption("")
  await list.getByRole("searchbox").fill("LATER")
  await list.getByText("No turn fits the filters.").waitFor()
  await agent.session("five").send("earlier").result
  await agent.session("five").send("later").result
  await cards.filter({ hasText: "later" }).waitFor()
  expect(await cards.count()).toBe(1)
  expect(problems).toEqual([])
})
