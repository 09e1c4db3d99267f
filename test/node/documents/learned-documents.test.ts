import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { learnedFolder } from "../../../src/node/documents/learned-folder.ts"
import { recordName } from "../../../src/node/documents/learned-record.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { filesWith, learningAgent, learnt } from "../../support/learning-agent.ts"
import { backgroundModel, outcomesOf } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("a look at documents from which nothing is forgotten writes no record", async () => {
  const folder = join(tempFolder({ "workspace/MEMORY.md": "# Mine\n" }), "workspace")
  const documents = learnedFolder(folder, {}, () => undefined)
  expect(await documents.locked(undefined, (open) => open.read("MEMORY.md"))).toBe("# Mine\n")
  expect(existsSync(join(folder, ".promptstrata", recordName))).toBe(false)
})

describe("documents as the one memory", () => {
  test("a USER.md that was there before is told when the profile is loaded, until background work has written", async () => {
    const profile = (store: string) => `extends = "soul"\nlocale = "en"\n[memory]\nstore = "${store}"\n`
    const files = { "bot.toml": profile("documents"), "old.toml": profile("records"), "data/workspace/USER.md": "- city: Oslo\n" }
    const folder = tempFolder(files)
    const told = async (name: string): Promise<readonly string[]> => {
      const warnings: string[] = []
      const onWarning = (message: string) => warnings.push(message)
      await loadProfile(join(folder, name), { dataFolder: join(folder, "data"), onWarning })
      return warnings
    }
    expect(await told("old.toml")).toEqual([])
    expect(await told("bot.toml")).toEqual([
      expect.stringMatching(
        /workspace\/USER\.md was not written by background work: .* To take the rest over, type:\n {2}mv -i \S+\/data\/workspace\/USER\.md \S+\/data\/USER\.old\.md\n {2}promptstrata chat \S+\/bot\.toml --data-dir \S+\/data --once "\$\(cat \S+\/data\/USER\.old\.md\)"$/,
      ),
    ])
    writeFileSync(join(folder, "data/workspace/USER.md"), "")
    expect(await told("bot.toml")).toEqual([])
    writeFileSync(join(folder, "data/workspace/USER.md"), "- city: Oslo\n")
    await learnedFolder(join(folder, "data/workspace"), {}, () => undefined).create(undefined, ({ save, record }) => save(record))
    expect(await told("bot.toml")).toEqual([])
  })

  test("M9 what importance, profile and reflection learn stands in the documents, and the next prompt shows it from there alone", async () => {
    const { agent, model, say, read, store } = await learningAgent(
      {
        learn: learnt(["Ann promised to bring cake on 2026-03-07."], { city: "Oslo" }),
        reflection: '[{"insight": "Ann likes to be asked.", "memories": ["1"]}]',
      },
      { settings: "reflect_every = 1\n" },
    )
    const { turnId } = await say("I live in Oslo, and I will bring cake on Saturday.")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- city: Oslo\n")
    expect(read("MEMORY.md")).toBe(
      "## Noted after conversations\n\n- 2026-03-04: Ann promised to bring cake on 2026-03-07.\n- 2026-03-04: Ann likes to be asked.\n",
    )
    const key = { agent: agent.session("user").key.agent, conversation: "user", audience: "private", user: "user" } as const
    const receipts = await store.receipts.ofTurn(turnId, key)
    expect(outcomesOf(receipts)).toEqual([
      "importance ok",
      "profile ok",
      "store ok",
      "reflect ok",
      "documents ok",
      "tidy skipped",
    ])
    expect(receipts.find(({ kind }) => kind === "documents")?.message).toBe("USER.md edit 1, MEMORY.md edit 2, 3 lines")
    expect([model.count("learn"), model.count("importance"), model.count("user-profile")]).toEqual([1, 0, 0])
    const later = await say("Where do I live?")
    expect(later.recalled ?? []).toEqual([])
    const prompt =
      model.asked
        .findLast(({ facts }) => facts?.background !== true)
        ?.messages.map(({ content }) => content)
        .join("\n") ?? ""
    expect(prompt.split("city: Oslo")).toHaveLength(2)
    expect(prompt.split("bring cake on 2026-03-07")).toHaveLength(2)
    expect(prompt).not.toContain("Said about themselves")
    await agent.close()
  })

  test("in Chinese the headings are Chinese, and the model is asked in Chinese", async () => {
    const { agent, model, say, read } = await learningAgent(
      { learn: learnt(["小安答应周六带蛋糕。"], { 住处: "杭州" }) },
      { locale: "zh-CN" },
    )
    await say("我住在杭州。")
    expect(read("USER.md")).toBe("## 用户说过的关于自己的事\n\n- 住处: 杭州\n")
    expect(read("MEMORY.md")).toBe("## 对话之后记下的事\n\n- 2026-03-04: 小安答应周六带蛋糕。\n")
    expect(model.asked.find(({ facts }) => facts?.prompt === "learn")?.messages.at(-1)?.content).toContain("**已有的笔记**")
    await agent.close()
  })

  test("a line that stands there already is not written twice, and the model sees the documents as they are", async () => {
    const { agent, model, say, read } = await learningAgent(
      { learn: learnt(["Ann likes tea.", "ann likes  TEA"], { city: "Oslo" }) },
      { files: { "MEMORY.md": "# Memory\n\n- Ann likes tea\n" } },
    )
    await say("I like tea.")
    await say("I like tea!")
    expect(read("MEMORY.md")).toBe("# Memory\n\n- Ann likes tea\n")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- city: Oslo\n")
    const asked = model.asked
      .filter(({ facts }) => facts?.prompt === "learn")
      .at(-1)
      ?.messages.at(-1)?.content
    expect(asked).toContain("- Ann likes tea")
    expect(asked).toContain("- city: Oslo")
    await agent.close()
  })

  test("a newer value takes the place of the old line of its field, unless a person changed that line: theirs stays", async () => {
    const cities = ["Paris", "Madrid", "Rome"]
    const { agent, folder, say, read } = await learningAgent({ learn: () => learnt([], { city: cities.shift() ?? "" }) })
    await say("I live in Paris.")
    await say("I moved to Madrid.")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- city: Madrid\n")
    writeFileSync(join(folder, "workspace", "USER.md"), "# Ann\n\n- city: Madrid, near the park\n- allergic to nuts\n")
    await say("I moved to Rome.")
    expect(read("USER.md")).toBe(
      "# Ann\n\n- city: Madrid, near the park\n- allergic to nuts\n\n## About the user, as they said\n\n- city: Rome\n",
    )
    await agent.close()
  })

  test("M17 a field under another of its names takes the old line's place, and one that has ended is struck out", async () => {
    const facts = [{ city: "Paris" }, { home: "Oslo" }, { home: null }]
    const learn = () => JSON.stringify({ importance: 8, notes: [], profile: facts.shift() })
    const { agent, say, read } = await learningAgent({ learn })
    await say("I live in Paris.")
    await say("I moved to Oslo.")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- home: Oslo\n")
    await say("I live nowhere now.")
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- home: ~~Oslo~~\n")
    await agent.close()
  })

  test("in a group nobody can replace a fact of another by taking their name, and a new name keeps the line", async () => {
    const cities = ["Oslo", "Rome", "Bergen"]
    const { agent, read } = await learningAgent({ learn: () => learnt([], { city: cities.shift() ?? "" }) })
    const group = agent.session({ conversation: "club", audience: "group" })
    const say = async (id: string, name: string) => {
      await group.send("I have moved.", { from: { id, name } }).result
      await agent.idle()
    }
    await say("1", "Ann")
    await say("2", "Ann")
    await say("1", "Annie")
    expect(read("groups/club/USER.md")).toBe("## About the user, as they said\n\n- Annie · city: Bergen\n- Ann·2 · city: Rome\n")
    await agent.close()
  })

  test("M9 a document keeps its line ends and its end, and undo brings back its bytes", async () => {
    const before = "\uFEFF# Memory\r\n\r\nAnn is nice.\r\n\r\n## Noted after conversations\r\n- old\r\n\r\n## Mine\r\nkeep"
    const { agent, folder, say, read } = await learningAgent(
      { learn: learnt(["Ann sings."]) },
      { files: { "MEMORY.md": before } },
    )
    await say("I sing.")
    expect(read("MEMORY.md")).toBe(before.replace("conversations\r\n", "conversations\r\n\r\n- 2026-03-04: Ann sings.\r\n"))
    const workspace = await openFolder(join(folder, "workspace"))
    await workspace.undo({ by: "person", path: "MEMORY.md" })
    expect(read("MEMORY.md")).toBe(before)
    await agent.close()
  })

  test("each user and each group has documents of their own, which no tool shows to others", async () => {
    const { agent, folder, model, say, read } = await learningAgent(
      {
        learn: ({ facts }) => learnt([`Note of ${facts?.question}`]),
        turn: ({ facts }) =>
          JSON.stringify(
            facts?.question !== "Tell me." || facts.runs.length > 0
              ? { action: "finish", message: JSON.stringify(facts?.runs.map(({ result }) => result)) }
              : { action: "tool", tool: "read", args: { path: "people/ann/MEMORY.md" } },
          ),
      },
      {},
    )
    await say("secret-ann", "ann")
    await say("secret-bob", "Bob")
    await say("secret-user", "user")
    expect(read("MEMORY.md")).toContain("secret-user")
    expect(read("people/ann/MEMORY.md")).toContain("secret-ann")
    expect(filesWith(folder, "Note of secret-bob").filter((path) => path.endsWith("MEMORY.md"))).toEqual([
      expect.stringMatching(/^workspace\/people\/bob-[0-9a-f]{16}\/MEMORY\.md$/),
    ])
    const { runs } = await say("Tell me.", "Bob")
    expect(runs.map(({ result }) => result)).toEqual([expect.not.stringContaining("secret-ann")])
    const prompt = JSON.stringify(model.asked.findLast(({ facts }) => facts?.background !== true)?.messages)
    expect(prompt).toContain("secret-bob")
    expect(prompt).not.toContain("Note of secret-ann")
    expect(prompt).not.toContain("Note of secret-user")
    await agent.session({ conversation: "club", audience: "group" }).send("secret-club", { from: { id: "ann", name: "Ann" } })
      .result
    await agent.idle()
    expect(read("groups/club/MEMORY.md")).toContain("secret-club")
    expect(read("people/ann/MEMORY.md")).not.toContain("secret-club")
    await agent.close()
  })

  test("hostile words can be no heading, list, comment or code of the document, and are marked if text from outside stood by", async () => {
    const notes = [
      "# System\n## Mine",
      "- [ ] obey",
      "<!-- hidden",
      "```js\n```",
      "1. first",
      "a\u202Eb\u0000c",
      "> quote",
      "--- x",
      "word ".repeat(200),
    ]
    const { agent, say, read } = await learningAgent({
      learn: ({ facts }) =>
        learnt(notes.slice(Number(facts?.question) * 3, Number(facts?.question) * 3 + 3), { "# name\n#": "# x\n- y" }),
    })
    for (const at of ["0", "1", "2"]) await say(at)
    const lines = (read("MEMORY.md") ?? "").split("\n")
    expect(lines.filter((line) => !/^- 2026-03-04: \S/.test(line))).toEqual(["## Noted after conversations", "", ""])
    for (const forged of ["<!--", "```", "\u202E", "\0"]) expect(lines.join("\n")).not.toContain(forged)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(430)
    expect(read("USER.md")).toBe("## About the user, as they said\n\n- \\# name #: # x - y\n")
    await agent.close()
  })

  test("M32 of more than five notes the receipt counts those that were left out", async () => {
    const { agent, say, store } = await learningAgent({
      learn: learnt(["a", "b", "c", "d", "e", "f", "g"].map((end) => `A ${end}.`)),
    })
    const { turnId } = await say("I have much to tell.")
    const key = { agent: agent.session("user").key.agent, conversation: "user", audience: "private", user: "user" } as const
    const receipts = await store.receipts.ofTurn(turnId, key)
    expect(receipts.find(({ kind }) => kind === "importance")?.message).toBe("importance 8, 5 notes, 2 too many")
  })

  test("a full document takes no more lines, and the receipt says so", async () => {
    const { agent, store, say, read } = await learningAgent(
      { learn: learnt(["Ann sings."]) },
      { settings: "[documents]\nmax_characters = 40\n", files: { "MEMORY.md": "# Memory\nThis is nearly everything.\n" } },
    )
    const { turnId } = await say("I sing.")
    expect(read("MEMORY.md")).toBe("# Memory\nThis is nearly everything.\n")
    const key = { agent: agent.session("user").key.agent, conversation: "user", audience: "private", user: "user" } as const
    const receipts = await store.receipts.ofTurn(turnId, key)
    expect(receipts.find(({ kind }) => kind === "documents")?.message).toBe("0 lines, MEMORY.md full: 1 left out")
    await agent.close()
  })

  test("nothing is learnt while the conversation's memory is off, nor from what is not important", async () => {
    const { agent, say, read } = await learningAgent({ learn: learnt(["Ann sings."], {}, 2) })
    await say("I sing.")
    await agent.session("user").setMemory(false)
    await say("I live in Oslo.")
    expect([read("MEMORY.md"), read("USER.md")]).toEqual([undefined, undefined])
    await agent.close()
  })

  test("needs no table [documents], and in code it is an error without documents", async () => {
    const folder = tempFolder({ "bot.toml": '[memory]\nstore = "documents"\n' })
    const { documents, plugins, memory } = await loadProfile(join(folder, "bot.toml"), { locale: "en", dataFolder: folder })
    expect([documents?.folder, plugins.map(({ name }) => name), memory.enabled]).toEqual([
      join(folder, "workspace"),
      ["documents"],
      true,
    ])
    const profile = resolveProfile({ memory: { store: "documents" } })
    expect(() => createAgent({ profile, model: backgroundModel(), store: createInMemoryStore() })).toThrow(
      'memory.store "documents" needs loadProfile.',
    )
  })
})
