import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { learningAgent, learnt } from "../../support/learning-agent.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const echo = { learn: ({ facts }: { facts?: { question: string } }) => learnt([`Noted: ${facts?.question}`]) }

describe("documents and turns that are set aside", () => {
  test.each(["in memory", "SQLite"])(
    "lines of words that were edited, or rewound, go; chosen again they come back: %s",
    async (kind) => {
      const store = kind === "SQLite" ? await openSqliteStore(join(tempFolder(), "store.sqlite")) : createInMemoryStore()
      const { agent, say, read } = await learningAgent(echo, { store })
      const notes = () => (read("MEMORY.md") ?? "").match(/(?<=Noted: ).*/g) ?? []
      await say("Hello")
      const first = await say("I live in Oslo")
      await say("elsewhere", "user", "another conversation")
      const session = agent.session("user")
      const words = (await session.history()).findLast(({ role }) => role === "user")
      await (await session.edit(words?.id ?? "", "I live in Bergen"))?.result
      await agent.idle()
      expect(notes()).toEqual(["Hello", "elsewhere", "I live in Bergen"])
      await session.choose(first.turnId)
      await agent.idle()
      expect(notes().toSorted()).toEqual(["Hello", "I live in Oslo", "elsewhere"])
      await session.clear()
      await agent.idle()
      expect(notes()).toEqual(["elsewhere"])
      await agent.close()
      await store.close()
    },
  )

  test.each(["in memory", "SQLite"])(
    "what a field said before comes back when the newer words are taken back: %s",
    async (kind) => {
      const store = kind === "SQLite" ? await openSqliteStore(join(tempFolder(), "store.sqlite")) : createInMemoryStore()
      const learn = ({ facts }: { facts?: { question: string } }) => {
        const [name = "", city = ""] = (facts?.question ?? "").split(" lives in ")
        return learnt([], city === "" ? {} : { [name]: city })
      }
      const { agent, say, read } = await learningAgent({ learn }, { store })
      const fields = (path = "USER.md") => (read(path) ?? "").match(/(?<=- ).*/g) ?? []
      await say("Ann lives in Oslo", "user", "first")
      await say("Ann lives in Bergen", "user", "second")
      const before = await say("Bob lives in Rome", "user", "second")
      await say("Ann lives in Turku", "user", "second")
      expect(fields()).toEqual(["Ann: Turku", "Bob: Rome"])
      const session = agent.session("second")
      await session.rewind(before.turnId)
      await agent.idle()
      expect(fields()).toEqual(["Ann: Bergen", "Bob: Rome"])
      await session.clear()
      await agent.idle()
      expect(fields()).toEqual(["Ann: Oslo"])
      await say("Ann lives in Lund", "user", "third")
      await store.forget({ agent: session.key.agent, conversation: "third" })
      expect(fields()).toEqual(["Ann: Oslo"])
      // Of a user who is forgotten nothing comes back.
      await say("Ann lives in Kiel", "user", "fourth")
      await store.forget({ agent: session.key.agent, user: "user" })
      expect(fields()).toEqual([])
      await agent.close()
      await store.close()
    },
  )

  test("in a group, too, each person's own field comes back", async () => {
    const learn = ({ facts }: { facts?: { question: string } }) => learnt([], { city: facts?.question ?? "" })
    const { agent, read, clock } = await learningAgent({ learn })
    const session = agent.session({ conversation: "friends", audience: "group" })
    const say = async (text: string, id: string) => {
      const { trace } = await session.send(text, { from: { id, name: id } }).result
      await agent.idle()
      clock.advance(60_000)
      return trace.turnId
    }
    await say("Oslo", "ann")
    const before = await say("Rome", "bob")
    await say("Bergen", "ann")
    const fields = () => (read("groups/friends/USER.md") ?? "").match(/(?<=- ).*/g) ?? []
    expect(fields()).toEqual(["ann · city: Bergen", "bob · city: Rome"])
    await session.rewind(before)
    await agent.idle()
    expect(fields()).toEqual(["ann · city: Oslo", "bob · city: Rome"])
    await agent.close()
  })

  test("a document that cannot be read fails no commit, and is told", async () => {
    const { agent, folder, say, warnings } = await learningAgent(echo)
    await say("Hello")
    writeFileSync(join(folder, "workspace", "MEMORY.md"), Buffer.from([0, 255]))
    await agent.session("user").clear()
    expect(await agent.session("user").history()).toEqual([])
    expect(warnings).toEqual([
      expect.stringContaining("Forgotten lines still stand in MEMORY.md."),
      expect.stringContaining("Lines of turns that were set aside stay in documents. MEMORY.md: expected UTF-8 text"),
    ])
    await agent.close()
  })
})
