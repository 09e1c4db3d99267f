import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { childEnv } from "./support/child-env.ts"
import { root } from "./support/source-files.ts"

/** Code that a plain turn does not need. */
const ofTurns = [
  "loop/turn/prepare",
  "loop/turn/run-hooks",
  "loop/turn/prose",
  "loop/turn/fit-tool-text",
  "reply/ladder",
  "reply/output/link-reader",
  "memory/services/user-profile",
]
const parts = [...ofTurns, "prompt/assemble/truncate-text", "prompt/tools/define-tool", "prompt/tools/print-parameters"]

const source = (path: string) => JSON.stringify(pathToFileURL(`${root}src/${path}.ts`).href)

/** The lines that a program prints in a process of its own, where nothing is loaded but what it asks for. */
function printed(program: string): string[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: childEnv(),
  })
  expect(stderr.replace(/^.*ExperimentalWarning.*\n|^\(Use .*\n/gm, "")).toBe("")
  expect(status).toBe(0)
  return stdout.trim().split("\n")
}

/** The modules of shipped prompts that a program reads. */
function promptsRead(program: string): string[] {
  return printed(`
    import { registerHooks } from "node:module"
    const read = []
    registerHooks({ load(url, context, next) { read.push(url.slice(url.lastIndexOf("/") + 1)); return next(url, context) } })
    ${program}
    console.log(read.filter((name) => /\\.(?:en|zh-CN)\\.ts$/.test(name)).sort().join("\\n"))`)
}

describe("loadDialect", () => {
  const load = `
    const { loadDialect } = await import(${source("index")})
    await loadDialect("layered", "zh-CN")`
  const dialect = ["packed.layered.en.ts", "packed.layered.zh-CN.ts", "packed.shared.en.ts", "packed.shared.zh-CN.ts"]

  test("reads no words of tools in a program that has no shipped tools", () => {
    expect(promptsRead(load)).toEqual(dialect)
  })

  test("reads the words of tools, so that they can be asked for at once, where something asks for them", () => {
    const program = `
      const { createVirtualContext } = await import(${source("memory/forgetting/index")})
      ${load}
      const { getBuiltinModule } = process
      process.getBuiltinModule = () => undefined
      createVirtualContext({ locale: "zh-CN" })
      createVirtualContext()
      process.getBuiltinModule = getBuiltinModule`
    expect(promptsRead(program)).toEqual([...dialect, "tools.en.ts", "tools.zh-CN.ts"])
  })

  test("reads the prompts behind turns where they are asked for, so that a bundle can assemble them", () => {
    const program = (options: string) => `
      const { assemble, loadDialect, PromptStack } = await import(${source("index")})
      await loadDialect("layered", "zh-CN", ${options})
      process.getBuiltinModule = () => undefined
      try {
        const { messages } = assemble(new PromptStack(), { dialect: "layered", locale: "zh-CN", prompt: "reflection" })
        console.log(messages.length > 0)
      } catch ({ code, message }) {
        console.log(code, message)
      }`
    const printedBy = (options: string) => printed(program(options)).join("\n")
    expect(printedBy("{}")).toMatch(/^prompt-missing expected the shipped prompts packed.background.zh-CN to be loaded/)
    expect(printedBy("{ background: true }")).toBe("true")
  })
})

describe("parameters of tools", () => {
  const program = (maker: string) => `
    const { assemble } = await import(${source("prompt/assemble/assemble")})
    const { PromptStack } = await import(${source("prompt/stack/prompt-stack")})
    const { loadDialect } = await import(${source("prompt/dialect/shipped")})
    const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    const tool = { name: "weather", description: "Looks it up.", trust: "author", inputSchema, visibility: "planner" }
    const question = { speaker: { id: "u", name: "Ada" }, text: "Hi." }
    const lists = { history: [], memories: [], prestart: [], runs: [], steps: [] }
    const turn = { agentName: "Mira", group: false, question, ...lists, tools: [tool] }
    const dialect = await loadDialect("layered", "en")
    const print = () => {
      try {
        const { messages } = assemble(new PromptStack(), { dialect, turn })
        console.log(messages.some(({ content }) => content.includes("city (string)")))
      } catch (error) {
        console.log(error.code, error.evidence.tool, error.hint)
      }
    }
    print()
    await import(${maker})
    print()`

  test.each(["prompt/tools/define-tool", "adapters/mcp/connect-mcp"])(
    "are not printed, and that is told, before %s is loaded, which makes tools",
    (maker) => {
      expect(printed(program(source(maker)))).toEqual(["tool-definition weather Make each tool with `defineTool`.", "true"])
    },
  )
})

describe("a turn", () => {
  const turn = (tools: string) => `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { createAgent } = await import(${source("loop/agent/agent")})
    const { resolveProfile } = await import(${source("profile/resolve")})
    const requests = []
    const model = {
      id: "m",
      capabilities: { developerRole: false, tools: false },
      async *stream({ messages }) {
        requests.push(JSON.stringify(messages))
        yield { type: "text-delta", delta: '{"action":"finish","message":"Hello."}' }
        yield { type: "finish", reason: "stop" }
      },
    }
    const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    const made = { visibility: "planner", repeatable: false, writes: false, check: async (value) => ({ ok: true, value }) }
    const weather = { name: "weather", description: "Looks it up.", trust: "author", inputSchema, ...made, execute: () => "" }
    const agent = createAgent({ profile: resolveProfile({ persona: "You are Mira." }), model, tools: [${tools}] })
    console.log((await agent.session("chat").send("Hi.").result).text)
    console.log(requests.some((text) => text.includes("city (string)")))
    await agent.close()
    const names = ${JSON.stringify(parts)}
    console.log(names.filter((name) => loaded.some((url) => url.endsWith("/src/" + name + ".ts"))).join(" "))`

  test("loads no code for hooks, tools, recall and prose, where there are none", () => {
    expect(parts.filter((name) => !existsSync(`${root}src/${name}.ts`))).toEqual([])
    expect(printed(turn(""))).toEqual(["Hello.", "false"])
  })

  test("loads what prints the parameters of a tool that defineTool did not make", () => {
    const border =
      "loop/turn/prepare loop/turn/run-hooks loop/turn/fit-tool-text prompt/assemble/truncate-text prompt/tools/define-tool prompt/tools/print-parameters"
    expect(printed(turn("weather"))).toEqual(["Hello.", "true", border])
  })
})

test("an agent without work closes without what waits for work", () => {
  const program = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { createAgent } = await import(${source("loop/agent/agent")})
    const { resolveProfile } = await import(${source("profile/resolve")})
    const model = { id: "m", capabilities: { developerRole: false, tools: false }, async *stream() {} }
    const agent = createAgent({ profile: resolveProfile({ persona: "You are Mira." }), model, runJobs: false })
    await agent.close()
    console.log(loaded.some((url) => url.endsWith("/src/loop/agent/borders/aside.ts")))`
  expect(printed(program)).toEqual(["false"])
})
