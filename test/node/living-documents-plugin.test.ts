import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { callTool, finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"

async function soulAgent(steps: Parameters<typeof scriptedModel>[0], files: Readonly<Record<string, string>> = {}) {
  const dataFolder = tempFolder(files)
  const profile = await loadProfile("soul", { locale: "zh-CN", dataFolder })
  const model = scriptedModel(steps)
  return { dataFolder, model, agent: createAgent({ profile, model }) }
}

async function runs(agent: ReturnType<typeof createAgent>): Promise<readonly string[]> {
  const { trace } = await agent.session("c").send("你好").result
  return trace.runs.map(({ result }) => result)
}

describe("profile soul", () => {
  test("keeps its documents in the workspace of the data folder, which is made with the first write", async () => {
    const { agent, dataFolder } = await soulAgent([
      finish("你好"),
      callTool("write", { path: "memory.md", content: "- 第一次见面\n" }),
      finish("记住了"),
    ])
    await runs(agent)
    expect(existsSync(join(dataFolder, "workspace"))).toBe(false)
    expect(await runs(agent)).toEqual(["已创建 MEMORY.md。"])
    expect(readFileSync(join(dataFolder, "workspace", "MEMORY.md"), "utf8")).toBe("- 第一次见面\n")
    const { messages } = await agent.session("c").preview("你好")
    expect(messages[0]?.content).toContain("- 第一次见面")
  })

  test("D1 the documents are its only memory: with a store too it recalls nothing, keeps no profile and asks its model nothing after a turn", async () => {
    const dataFolder = tempFolder({})
    const profile = await loadProfile("soul", { locale: "en", dataFolder })
    const model = scriptedModel([finish("Hello."), finish("Hello again.")])
    const store = createInMemoryStore()
    const agent = createAgent({ profile, model, store })
    for (const text of ["I am Ann and I live in Oslo.", "Where do I live?"]) await agent.session("c").send(text).result
    await agent.idle()
    expect(model.requests).toHaveLength(2)
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("[memory context]")
    const recalling = await loadProfile(
      join(tempFolder({ "bot.toml": 'extends = "soul"\n[plugins]\nenabled = ["memory"]\n' }), "bot.toml"),
    )
    expect([profile.memory.enabled, recalling.memory.enabled]).toEqual([false, true])
  })

  test("D9 with memory off the model reads of no other file than SOUL.md, in the tools' own words too", async () => {
    const { agent, model } = await soulAgent([callTool("read", { path: "SOUL.md" }), finish("好")], {
      "workspace/SOUL.md": "我叫小鱼。",
    })
    await agent.session("c").setMemory(false)
    await runs(agent)
    const shown = JSON.stringify(model.requests.map(({ messages, tools }) => [messages, tools]))
    expect(shown).toContain("工作区内的文件路径")
    expect(shown.match(/(?<!SOUL)\.md/)).toBeNull()
  })

  test("another file tool that a profile enables works on the same workspace, under the same guard", async () => {
    const folder = tempFolder({
      "bot.toml": 'extends = "soul"\n[tools]\nenabled = ["list", "write"]\n[documents]\nplacement = "user"\n',
      "data/workspace/SOUL.md": "我叫小鱼。",
    })
    const profile = await loadProfile(join(folder, "bot.toml"), { locale: "zh-CN", dataFolder: join(folder, "data") })
    const model = scriptedModel([
      callTool("list"),
      callTool("write", { path: "SOUL.md", content: "我叫小鸟，住在树上。" }),
      finish("好"),
    ])
    const agent = createAgent({ profile, model })
    expect(await runs(agent)).toEqual(["SOUL.md（15 字节）", expect.stringContaining("需要确认")])
    expect(model.requests[0]?.messages.at(-1)?.content).toContain("[文档]\n# 用户信息")
  })

  test("built-in file tools serve any profile, in the workspace of its data folder", async () => {
    const folder = tempFolder({ "bot.toml": '[tools]\nenabled = ["read", "write", "edit", "list", "search"]\n' })
    const profile = await loadProfile(join(folder, "bot.toml"), { locale: "en", dataFolder: join(folder, "data") })
    const model = scriptedModel([
      callTool("list"),
      callTool("write", { path: "a.md", content: "tea" }),
      callTool("edit", { path: "a.md", old_text: "tea", new_text: "bread" }),
      callTool("search", { query: "bread" }),
      finish("done"),
    ])
    expect(await runs(createAgent({ profile, model }))).toEqual([
      'There are no files in ".".',
      "a.md was created.",
      "a.md was changed.",
      "a.md:1: bread",
    ])
  })

  test("L11 the plugin `diary` brings the tools that its skill writes with", async () => {
    const folder = tempFolder({ "bot.toml": '[plugins]\nenabled = ["diary"]\n[tools]\nenabled = ["current_time", "read"]\n' })
    const dataFolder = join(folder, "data")
    const profile = await loadProfile(join(folder, "bot.toml"), { locale: "en", dataFolder })
    expect(profile.tools.builtin.map(({ name }) => name)).toEqual(["current_time", "read", "list", "write", "edit"])
    const write = callTool("write", { path: "diary/20261121.md", content: "## Evening\n" })
    await runs(createAgent({ profile, model: scriptedModel([write, finish("done")]) }))
    expect(readFileSync(join(dataFolder, "workspace/diary/20261121.md"), "utf8")).toBe("## Evening\n")
  })

  test("D9 with memory off, the file tools that a profile enables stay for other files than the documents", async () => {
    const folder = tempFolder({
      "bot.toml": 'extends = "soul"\n[tools]\nenabled = ["list", "read", "write"]\n',
      "data/workspace/SOUL.md": "I am Fish.",
      "data/workspace/MEMORY.md": "secret",
      "data/workspace/notes.md": "tea",
    })
    const profile = await loadProfile(join(folder, "bot.toml"), { locale: "en", dataFolder: join(folder, "data") })
    const model = scriptedModel([
      callTool("list"),
      callTool("read", { path: "notes.md" }),
      callTool("write", { path: "notes.md", content: "bread" }),
      callTool("read", { path: "MEMORY.md" }),
      callTool("write", { path: "user.md", content: "x" }),
      callTool("read", { path: "SOUL.md" }),
      callTool("write", { path: "SOUL.md", content: "x" }),
      callTool("edit", { path: "notes.md", old_text: "bread", new_text: "x" }),
      finish("done"),
    ])
    const session = createAgent({ profile, model }).session("c")
    await session.setMemory(false)
    const { trace } = await session.send("Hello").result
    expect(trace.runs.map(({ result }) => result)).toEqual([
      "SOUL.md (10 bytes)\nnotes.md (3 bytes)",
      expect.stringContaining("tea"),
      "notes.md was overwritten.",
      expect.stringMatching(/MEMORY\.md.*cannot/i),
      expect.stringMatching(/user\.md.*cannot/i),
      expect.stringContaining("I am Fish."),
      expect.stringMatching(/SOUL\.md.*cannot/i),
      expect.stringContaining("edit"),
    ])
    expect(readFileSync(join(folder, "data/workspace/notes.md"), "utf8")).toBe("bread")
  })
})
