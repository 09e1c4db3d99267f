import { expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()
const profile = { ...english, agent: { id: "fay" }, memory: { enabled: false } } as const

test("N28 the page shows the conversations of a bot that another opening of the store holds, and what is said meanwhile", async () => {
  const file = `${tempFolder()}/bot.db`
  const [shown, held] = [await openSqliteStore(file), await openSqliteStore(file)]
  const bot = createAgent({
    profile: resolveProfile(profile),
    model: scriptedModel(["The dinosaurs are upstairs.", "Until six."].map(finish)),
    store: held,
  })
  onTestFinished(async () => {
    await bot.close()
    await Promise.all([shown.close(), held.close()])
  })
  const say = (text: string, conversation = "telegram 42") =>
    bot.session(conversation).send(text, { from: { id: "ben", name: "Ben" } }).result
  await say("Where are the dinosaurs?")
  const { page, problems } = await open([], { profile, agentOptions: { store: shown } })
  await page.getByRole("button", { name: "Conversations" }).click()
  const talk = page.getByRole("list", { name: "telegram 42" })
  await talk.getByText("The dinosaurs are upstairs.").waitFor()
  await say("Until when?")
  await talk.getByText("Until six.").waitFor()
  expect(await talk.getByRole("listitem").count()).toBe(4)
  await page.getByRole("navigation").or(page.getByRole("main")).getByRole("button").filter({ hasText: "Until six." }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole("button", { name: "Back to the turns" }).click()
  await page.getByText("Talk to the character, and its requests appear here.").waitFor()
  expect(problems).toEqual([])
})
