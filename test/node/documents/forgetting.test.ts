import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { lineHash, nothingLearned, withoutOldest } from "../../../src/node/documents/learned-record.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { filesWith, learningAgent, learnt } from "../../support/learning-agent.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const echo = {
  learn: ({ facts }: { facts?: { question: string } }) => learnt([`Noted: ${facts?.question}`], { last: `${facts?.question}` }),
}

describe("forgetting what documents hold", () => {
  test.each(["in memory", "SQLite"])(
    "a forgotten user leaves no canary in the folder, the history of edits included: %s",
    async (kind) => {
      const store = kind === "SQLite" ? await openSqliteStore(join(tempFolder(), "store.sqlite")) : createInMemoryStore()
      const { agent, folder, say, read } = await learningAgent(
        { ...echo, reflection: '[{"insight": "An insight on canary-1.", "memories": ["1"]}]' },
        { store, settings: "reflect_every = 1\n", files: { "MEMORY.md": "# By hand\n\n- canary of a person\n" } },
      )
      const id = agent.session("user").key.agent
      await say("canary-1 is my secret")
      await say("canary-1 again", "ann")
      expect(filesWith(folder, "canary-1").length).toBeGreaterThan(3)
      await store.forget({ agent: id, user: "user" })
      expect(read("MEMORY.md")).toBe("# By hand\n\n- canary of a person\n\n## Noted after conversations\n\n")
      expect(filesWith(folder, "canary-1 is my secret")).toEqual([])
      expect(read("people/ann/MEMORY.md")).toContain("Noted: canary-1 again")
      await store.forget({ agent: id })
      expect(filesWith(folder, "canary-1")).toEqual([])
      await agent.close()
      await store.close()
    },
  )

  test('"forget that" takes out exactly the lines of its turn; a line that a person changed stays, as it is theirs', async () => {
    const { agent, folder, say, read, store } = await learningAgent({
      learn: ({ facts }) => learnt([`Noted: ${facts?.question}`], { [`about ${facts?.question}`]: "yes" }),
    })
    await say("one")
    await say("two")
    await say("three")
    const before = read("MEMORY.md") ?? ""
    writeFileSync(join(folder, "workspace", "MEMORY.md"), before.replace("Noted: three", "Noted: THREE"))
    const forget = async (words: string) => {
      const [found] = (await agent.session("user").explainMemories(words, { from: { id: "user" } })).filter(
        ({ text }) => text === words,
      )
      await agent.session("user").forgetMemory(found?.id ?? "", { from: { id: "user" } })
    }
    await forget("two")
    await forget("three")
    expect(read("MEMORY.md")).toBe("## Noted after conversations\n\n- 2026-03-04: Noted: one\n- 2026-03-04: Noted: THREE\n")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- about one: yes\n")
    await store.close()
    await agent.close()
  })

  test("a store that lost everything is no reason to forget: lines stay when another user is forgotten in a new store", async () => {
    const first = await learningAgent(echo)
    await first.say("one")
    await first.agent.close()
    const store = createInMemoryStore()
    const second = await learningAgent(echo, { folder: first.folder, store })
    await second.say("two", "bob")
    const agent = second.agent.session("x").key.agent
    const [found] = await second.agent.session("bob").explainMemories("two", { from: { id: "bob" } })
    await second.agent.session("bob").forgetMemory(found?.id ?? "", { from: { id: "bob" } })
    await store.forget({ agent, user: "bob" })
    expect(second.read("MEMORY.md")).toContain("Noted: one")
    expect(second.read("people/bob/MEMORY.md")).not.toContain("two")
    await second.agent.close()
  })

  test("what is forgotten while a job writes it down is not written, or is taken out", async () => {
    const store = createInMemoryStore()
    let forgotten: Promise<unknown> | undefined
    const { agent, folder, say } = await learningAgent(
      {
        learn: ({ facts }) => {
          if (facts?.question === "canary") forgotten = store.forget({ agent: id, user: "user" })
          return learnt([`Noted: ${facts?.question}`])
        },
      },
      { store },
    )
    const id = agent.session("user").key.agent
    await say("canary")
    await forgotten
    expect(filesWith(folder, "canary")).toEqual([])
    await agent.close()
  })

  test("a process that ends while it takes lines out leaves marks, and the next write goes on", async () => {
    const { agent, folder, say, read } = await learningAgent(echo)
    await say("canary")
    const record = join(folder, "workspace", ".promptstrata", "learned.json")
    const marked = JSON.parse(readFileSync(record, "utf8"))
    for (const line of marked.lines) line.forgotten = true
    writeFileSync(record, JSON.stringify(marked))
    await say("next")
    expect(filesWith(folder, "canary")).toEqual([])
    expect(read("MEMORY.md")).toContain("Noted: next")
    await agent.close()
  })

  test("a damaged record begins anew and that is told, and nothing of the documents is lost", async () => {
    const { agent, folder, say, read, warnings } = await learningAgent(echo)
    await say("one")
    writeFileSync(join(folder, "workspace", ".promptstrata", "learned.json"), "{damaged")
    await say("two")
    expect(read("MEMORY.md")).toContain("Noted: one\n")
    expect(read("MEMORY.md")).toContain("Noted: two\n")
    expect(warnings).toEqual([expect.stringContaining("learned.json was damaged and begins anew")])
    await agent.close()
    const workspace = await openFolder(join(folder, "workspace"))
    expect(await workspace.history()).not.toEqual([])
  })

  test("a record that a newer version wrote is never overwritten", async () => {
    const { agent, folder, say, store } = await learningAgent(echo)
    await say("one")
    const record = join(folder, "workspace", ".promptstrata", "learned.json")
    const written = '{"version":2,"lines":"of another kind"}'
    writeFileSync(record, written)
    const key = { agent: agent.session("user").key.agent, user: "user" }
    await expect(store.forget(key)).rejects.toThrow("learned.json: expected version 1, found version 2: a newer promptstrata")
    expect(readFileSync(record, "utf8")).toBe(written)
    await agent.close()
  })

  test("a damaged document of one person stops the memory of nobody else, and is told", async () => {
    const { agent, folder, say, read, store, warnings } = await learningAgent(echo)
    await say("words of ann", "ann")
    await say("words of bob", "bob")
    const bob = join(folder, "workspace", "people", "bob", "MEMORY.md")
    const whole = readFileSync(bob)
    writeFileSync(bob, Buffer.from([0, 255]))
    const scope = { agent: agent.session("user").key.agent, user: "bob" }
    await expect(store.forget(scope)).rejects.toThrow("people/bob/MEMORY.md: expected UTF-8 text")
    await say("more", "ann")
    expect(read("people/ann/MEMORY.md")).toContain("Noted: more")
    expect(warnings).toEqual([expect.stringMatching(/^Forgotten lines still stand in people\/bob\/MEMORY\.md\. /)])
    writeFileSync(bob, whole)
    await say("again", "ann")
    expect(filesWith(folder, "words of bob")).toEqual([])
    await agent.close()
  })

  test.each([
    { lines: [{ path: "MEMORY.md", hash: "x", origins: [null] }], waiting: [] },
    { lines: [], waiting: [null] },
    { lines: [], waiting: [{ path: "MEMORY.md", by: "t", merges: [{ from: [1], into: "x" }] }] },
  ])("a record with other values than it should have is damaged: %j", async (values) => {
    const { agent, folder, say, store, warnings } = await learningAgent(echo)
    await say("one")
    writeFileSync(
      join(folder, "workspace", ".promptstrata", "learned.json"),
      JSON.stringify({ version: 1, tidied: {}, ...values }),
    )
    await store.forget({ agent: agent.session("user").key.agent, user: "user" })
    expect(warnings).toEqual([expect.stringContaining("learned.json was damaged and begins anew")])
    await agent.close()
  })

  test("lines that stand in a document stay known, however many there are; of others the newest thousand", () => {
    const origins = [
      { agent: "a", conversation: "c", audience: "private", user: "u", turnId: "t", fromMs: 0, untilMs: 0 },
    ] as const
    const line = (path: string, text: string) => ({ path, hash: lineHash(text), origins })
    const numbers = Array.from({ length: 6_000 }, (_, at) => `- ${at}`)
    const lines = [...numbers.map((text) => line("people/b/MEMORY.md", text)), line("MEMORY.md", "- mine")]
    const record = { ...nothingLearned, lines: [line("MEMORY.md", "- old"), ...lines] }
    expect(withoutOldest(record, "MEMORY.md", "- mine\n")).toEqual(record)
    const kept = withoutOldest(record, "people/b/MEMORY.md", "- 0\n- 5\n").lines
    expect(kept).toEqual([record.lines[0], lines[0], lines[5], ...lines.slice(5_000)])
  })
})
