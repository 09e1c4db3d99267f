import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { TurnHook } from "../../src/memory/services/turn-hook.ts"
import { finish } from "../support/agents.ts"
import { backgroundModel } from "../support/remembering.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()
const counter = await tiktokenCounter({ encoding: "o200k_base" })
const ann = { from: { id: "ann", name: "Ann" } }

/** A page of an agent that remembers, whose user said these words first and then asks about them. */
async function remembering(words: string, setup: { readonly hooks?: readonly TurnHook[]; readonly editor?: string } = {}) {
  const answers = [finish("Noted."), finish("You live there.")]
  const model = backgroundModel({
    turn: () => answers.shift() ?? finish("ok"),
    batch: JSON.stringify({ importance: 7, profile: { city: words } }),
    profile: JSON.stringify({ city: words }),
  })
  const { hooks = [], ...options } = setup
  const opened = await open([], {
    ...options,
    model,
    profile: { ...english, agent: { name: "Fay" }, memory: { enabled: true, keys: false } },
    agentOptions: {
      store: createInMemoryStore(),
      plugins: [{ name: "lore", hooks }],
      onWarning: () => undefined,
      ports: { counter },
    },
  })
  const first = (await opened.session.send(words, ann).result).trace.turnId
  await opened.agent.idle()
  await opened.agent.session("later").send("Where do I live in Oslo?", ann).result
  await opened.agent.idle()
  const main = opened.page.getByRole("main")
  await main.getByText("You live there.").first().waitFor()
  const show = (name: string) => main.getByRole("tab", { name, exact: true }).click()
  return { ...opened, main, show, first }
}

describe("the tabs of a turn", () => {
  test("show the curves of memories, the user's facts, what was written, and why others were not recalled", async () => {
    const { page, main, show, problems } = await remembering("I live in Oslo.")
    await show("Forgetting")
    await main.getByText("I live in Oslo.").waitFor()
    expect(await main.locator("figure", { hasText: "I live in Oslo." }).textContent()).toMatch(
      /100 % remembered now · stability 1.0 days/u,
    )
    expect((await main.locator("polyline").first().getAttribute("points"))?.split(" ")).toHaveLength(61)
    expect(await violations(page)).toEqual([])
    await show("User")
    await main.getByRole("row", { name: /city I live in Oslo\./u }).waitFor()
    await show("Memories")
    await main.getByLabel("Search memories as a question would").fill("zzz")
    await main.getByRole("button", { name: "Find" }).click()
    await main.getByText("Not found: nothing of these words is in them").waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole("navigation").getByRole("button").filter({ hasText: "I live in Oslo." }).click()
    await show("Background")
    await main.getByRole("heading", { name: "Written to the store" }).waitFor()
    await main.getByRole("listitem").filter({ hasText: "I live in Oslo." }).first().waitFor()
    await main.getByRole("row", { name: /^store ok/u }).waitFor()
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })

  test("show which entries of lorebooks are in, by which key, and what kept the others out", async () => {
    const hook: TurnHook = {
      name: "lore",
      beforeTurn({ explain, stack }) {
        stack.add({ key: "lorebook/oslo", content: "Oslo lies at a fjord.", scope: "turn" })
        const entry = { book: "card", entry: "Bergen", outcome: "cooldown", key: "bergen", where: 2 } as const
        explain([entry, { book: "card", entry: "Oslo", outcome: "in", injection: "lorebook/oslo", key: "oslo", where: 0 }])
      },
    }
    const { page, main, show } = await remembering("I live in Oslo.", { hooks: [hook] })
    await show("Lorebook")
    expect(await main.getByRole("row").allTextContents()).toEqual([
      "entryoutcomeby the keyfound intokens",
      expect.stringMatching(/^Oslo cardinoslothe newest message[1-9]\d*$/u),
      "Bergen cardcooldownbergen2 messages before",
    ])
    expect(await violations(page)).toEqual([])
  })

  test("show hostile text of the store as text", async () => {
    const hostile = "<img src=x onerror=window.ran=1> lives in Oslo </script><svg onload=window.ran=1>"
    const hook: TurnHook = {
      name: "lore",
      beforeTurn: ({ explain }) => explain([{ book: hostile, entry: hostile, outcome: hostile, key: hostile }]),
    }
    const { page, main, show, problems } = await remembering(hostile, { hooks: [hook] })
    for (const tab of ["Lorebook", "Memories", "Forgetting", "User"]) {
      await show(tab)
      await main.getByText("lives in Oslo </script>").last().waitFor()
    }
    expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
    expect(await page.locator("#app script, #app img, #app svg[onload]").count()).toBe(0)
    expect(problems).toEqual([])
  })
})

describe("a part of a request", () => {
  test("shows its tokens, and its file opens in an editor only by a click", async () => {
    const { page, session, problems } = await open([finish("Yes.")], {
      profile: english,
      editor: "vscode://file/{file}:{line}",
      agentOptions: { ports: { counter } },
    })
    session.stack.add({ key: "mood", content: "calm as a lake", source: { file: "/files/a mood.md", line: 7 } })
    await session.send("Hello").result
    await page.getByRole("main").getByText("calm as a lake").hover()
    await page.getByRole("button", { name: "Tokens of this part" }).click()
    const tokens = page.getByRole("region", { name: "Tokens of this part" }).locator("span")
    await tokens.first().waitFor()
    expect(await tokens.allTextContents()).toEqual(["cal", "m", " as", " a", " lake"])
    expect(await page.getByRole("link", { name: "/files/a mood.md:7" }).getAttribute("href")).toBe(
      "vscode://file//files/a%20mood.md:7",
    )
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })
})
