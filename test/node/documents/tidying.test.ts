import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { ConfirmRequest } from "../../../src/prompt/tools/tool.ts"
import { filesWith, learningAgent, learnt } from "../../support/learning-agent.ts"

const notes = ["Ann likes green tea.", "Ann likes tea in the morning.", "Ann paid 20 euros."]
const proposal = JSON.stringify([
  { lines: [1, 2], text: "Ann likes green tea in the morning." },
  { lines: [3, 4], text: "Ann paid euros." },
])
const before =
  "## Noted after conversations\n\n- 2026-03-04: Ann likes green tea.\n- 2026-03-04: Ann likes tea in the morning.\n- 2026-03-04: Ann paid 20 euros.\n"
const after =
  "## Noted after conversations\n\n- 2026-03-04: Ann likes green tea in the morning.\n- 2026-03-04: Ann paid 20 euros.\n"
const settings = "[documents]\nmax_characters = 160\nnear_limit_share = 0.8\n"

async function tidied(options: Parameters<typeof learningAgent>[1] = {}, tidy = proposal) {
  const made = await learningAgent(
    { learn: ({ facts }) => learnt(facts?.question === "tell" ? notes : []), tidy },
    { settings, ...options },
  )
  const receipt = async (turnId: string) => {
    const key = { agent: made.agent.session("user").key.agent, conversation: "user", audience: "private", user: "user" } as const
    return (await made.store.receipts.ofTurn(turnId, key)).find(({ kind }) => kind === "tidy")
  }
  return { ...made, receipt }
}

describe("a nearly full document", () => {
  test("is tidied in the background, in an edit that can be undone; a proposal that loses a fact is refused", async () => {
    const { agent, folder, model, say, read, receipt } = await tidied()
    const { turnId } = await say("tell")
    expect(read("MEMORY.md")).toBe(after)
    expect((await receipt(turnId))?.message).toBe("MEMORY.md edit 2, 2 lines become 1, 1 refused: a fact would be lost or added")
    expect(model.asked.find(({ facts }) => facts?.prompt === "tidy")?.messages.at(-1)?.content).toContain(
      '"1": Ann likes green tea.\n"2": Ann',
    )
    await say("more")
    expect(model.count("tidy")).toBe(1)
    const workspace = await openFolder(join(folder, "workspace"))
    await workspace.undo({ by: "person", path: "MEMORY.md" })
    expect(read("MEMORY.md")).toBe(before)
    await agent.close()
  })

  test("waits for a yes where somebody can be asked, with its difference, for as long as it takes", async () => {
    const requests: ConfirmRequest[] = []
    const answer = Promise.withResolvers<boolean>()
    const { agent, say, read, receipt } = await tidied({
      confirm: async (request) => {
        requests.push(request)
        return answer.promise
      },
    })
    const { turnId } = await say("tell")
    expect(read("MEMORY.md")).toBe(before)
    expect((await receipt(turnId))?.message).toContain("MEMORY.md waits for approval, 2 lines become 1")
    await expect
      .poll(() => requests)
      .toEqual([{ tool: "tidy", summary: "tidy MEMORY.md (2 lines become 1)", detail: expect.any(String) }])
    expect(requests[0]?.detail).toContain(
      "-- 2026-03-04: Ann likes green tea.\n-- 2026-03-04: Ann likes tea in the morning.\n+- 2026-03-04: Ann likes green tea in the morning.",
    )
    await say("more")
    expect(requests).toHaveLength(1)
    answer.resolve(true)
    await expect.poll(() => read("MEMORY.md")).toBe(after)
    await agent.close()
  })

  test("stays as it is after a no, and is asked about once", async () => {
    let asked = 0
    const { agent, folder, say, read } = await tidied({
      confirm: async () => {
        asked++
        return false
      },
    })
    await say("tell")
    const record = join(folder, "workspace", ".promptstrata", "learned.json")
    await expect.poll(() => JSON.parse(readFileSync(record, "utf8")).waiting).toEqual([])
    await say("more")
    expect([asked, read("MEMORY.md")]).toEqual([1, before])
    await agent.close()
  })

  test("an answer that never came is asked for again by the next process, and lines that a person changed meanwhile win", async () => {
    const first = await tidied({ confirm: () => new Promise(() => {}) })
    await first.say("tell")
    await first.agent.close()
    writeFileSync(join(first.folder, "workspace", "MEMORY.md"), before.replace("green tea", "black tea"))
    const asked: string[] = []
    const second = await tidied({
      folder: first.folder,
      confirm: async ({ detail = "" }) => {
        asked.push(detail)
        return true
      },
    })
    await second.say("more")
    const record = join(first.folder, "workspace", ".promptstrata", "learned.json")
    await expect.poll(() => JSON.parse(readFileSync(record, "utf8")).waiting).toEqual([])
    // Nothing is asked, because the proposal fits no line any more.
    expect([asked, second.read("MEMORY.md")]).toEqual([[], before.replace("green tea", "black tea")])
    expect(second.warnings.toSorted()).toEqual([
      expect.stringMatching(/^MEMORY\.md has over 80 % of its limit of 160 characters/),
      "MEMORY.md was not tidied: its lines have changed since the proposal, which is dropped.",
    ])
    await second.agent.close()
  })

  test("only the part of a proposal that still fits is asked about and made", async () => {
    const four = ["Ann likes green tea.", "Ann likes tea in the morning.", "Bob plays chess.", "Bob plays chess on Sundays."]
    const two = JSON.stringify([
      { lines: [1, 2], text: "Ann likes green tea in the morning." },
      { lines: [3, 4], text: "Bob plays chess on Sundays." },
    ])
    const learn = ({ facts }: { facts?: { question: string } }) => learnt(facts?.question === "tell" ? four : [])
    const roomy = settings.replace("160", "200")
    const first = await learningAgent({ learn, tidy: two }, { settings: roomy, confirm: () => new Promise(() => {}) })
    await first.say("tell")
    await first.agent.close()
    const text = first.read("MEMORY.md") ?? ""
    writeFileSync(join(first.folder, "workspace", "MEMORY.md"), text.replace("green tea", "black tea"))
    const requests: ConfirmRequest[] = []
    const confirm = async (request: ConfirmRequest) => {
      requests.push(request)
      return true
    }
    const second = await learningAgent({ learn, tidy: two }, { settings: roomy, folder: first.folder, confirm })
    await second.say("more")
    await expect.poll(() => second.read("MEMORY.md")).not.toContain("chess.")
    expect(requests.map(({ summary }) => summary)).toEqual(["tidy MEMORY.md (2 lines become 1)"])
    expect(second.read("MEMORY.md")).toContain("black tea.\n- 2026-03-04: Ann likes tea in the morning.\n")
    await second.agent.close()
  })

  test("is shown whole to the model, however long it is; under a budget the newest lines are, and the receipt says so", async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `Film ${at}: ${"Ann saw a film about ships, ".repeat(5)}and slept.`)
    const files = { "MEMORY.md": "# Memory\n" }
    const notes = (request: { facts?: { question: string } }) => {
      const at = 5 * Number(request.facts?.question ?? 0)
      return learnt(lines.slice(at, at + 5))
    }
    const shownOf = async (budget: string) => {
      const long = `[documents]\nmax_characters = 9_000\nnear_limit_share = 0.95\n${budget}`
      const made = await learningAgent({ learn: notes, tidy: "[]" }, { settings: long, files })
      const turns: string[] = []
      for (let at = 0; at < 10; at++) turns.push((await made.say(String(at))).turnId)
      const asked = made.model.asked.find(({ facts }) => facts?.prompt === "tidy")
      const words = asked?.messages.map(({ content }) => content).join("\n") ?? ""
      const key = {
        agent: made.agent.session("user").key.agent,
        conversation: "user",
        audience: "private",
        user: "user",
      } as const
      const receipts = (await Promise.all(turns.map((turnId) => made.store.receipts.ofTurn(turnId, key)))).flat()
      await made.agent.close()
      const told = receipts.flatMap(({ kind, message }) => (kind === "tidy" && message !== "not due" ? [message] : []))
      return { shown: lines.filter((line) => words.includes(line)), told }
    }
    const whole = await shownOf("")
    expect([whole.shown.length, whole.told]).toEqual([50, ["MEMORY.md as it was, 0 lines become 0"]])
    const short = await shownOf("[budget]\ntokens = 1_800\n")
    expect(short.shown.length).toBeGreaterThan(10)
    expect(short.shown.length).toBeLessThan(whole.shown.length)
    expect(short.shown).toEqual(whole.shown.slice(-short.shown.length))
    expect(short.told).toEqual([
      `MEMORY.md as it was, 0 lines become 0, its prompt had room for ${short.shown.length} of ${whole.shown.length} entries of recent`,
    ])
  })

  test("a merged line goes when one of its turns is forgotten, and so does a proposal that holds its words", async () => {
    const { agent, folder, say, store } = await tidied({ confirm: () => new Promise(() => {}) })
    await say("tell")
    expect(filesWith(folder, "green tea").length).toBe(3)
    await store.forget({ agent: agent.session("user").key.agent, user: "user" })
    expect(filesWith(folder, "green tea")).toEqual([])
    await agent.close()
    const open = await tidied()
    await open.say("tell")
    expect(open.read("MEMORY.md")).toBe(after)
    await open.store.forget({ agent: open.agent.session("user").key.agent, conversation: "user" })
    expect(filesWith(open.folder, "Ann")).toEqual([])
    await open.agent.close()
  })

  test("an answer that cannot be read is a receipt, and is asked for once more", async () => {
    const { agent, model, say, read, receipt } = await tidied({}, "I would rather not.")
    const { turnId } = await say("tell")
    expect((await receipt(turnId))?.outcome).toBe("parse-error")
    expect([model.count("tidy") >= 1, read("MEMORY.md")]).toEqual([true, before])
    await agent.close()
  })
})
