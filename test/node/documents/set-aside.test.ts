import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/services/store/in-memory/in-memory-store.ts"
import { openSqliteStore } from "../../../src/stores/sqlite/open-sqlite-store.ts"
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
