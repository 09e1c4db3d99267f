import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readContent } from "../../src/adapters/mcp/result-content.ts"
import { mcpWords } from "../../src/adapters/mcp/words.ts"
import type { Assembly } from "../../src/core/span.ts"
import { nativeTools } from "../../src/loop/turn/plan-native.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { shippedDialectNames } from "../../src/prompt/dialect/shipped.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import type { Tool } from "../../src/prompt/tools/tool.ts"
import { dataPresent, hostileStrings, readJsonLines, triedOf } from "../support/corpora.ts"
import { lineBreaks, seen, skeleton, visible } from "../support/hostile-reader.ts"
import { connected, isRunning } from "../support/mcp/connected.ts"
import { fakeServer } from "../support/mcp/fake-server-config.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { ran, turnState } from "../support/turns.ts"

interface PoisonedTool {
  readonly tool: string
  readonly text: string
  readonly description: string
}

const persona = new PromptStack([{ key: "persona", content: "你是Fay。", scope: "global" }])
const prompts = ["planner", "final"]

/** A tool as a server lists it: its words in every place that a server fills. */
function listed(name: string, { text, description }: PoisonedTool): unknown {
  const property = { type: "string", description: text, enum: [text, "x"], default: description }
  return {
    name,
    description: `${description}\n${text}`,
    inputSchema: { type: "object", properties: { [text.slice(0, 60)]: property } },
  }
}

/** Lines that are the dialect's own: made of frames alone, without anybody's words in them. */
function frameLines({ messages, spans }: Assembly): ReadonlySet<string> {
  const frames = spans.filter(({ part }) => part !== "content").map(({ text }) => text)
  const own = new Set(frames.flatMap((text) => text.split(lineBreaks)).map(seen))
  const lines = messages.flatMap(({ content }) => content.split(lineBreaks)).map(seen)
  return new Set(lines.filter((line) => line !== "" && own.has(line) && !/^[`\s]*$/.test(line)))
}

/** Those lines outside fences, and the fences, in a request as a careless reader sees it. */
function structure({ messages }: Assembly, marks: ReadonlySet<string>): string {
  return messages.map(({ content }) => skeleton(content, (line) => marks.has(line)).join("\n")).join("\n\n")
}

function write(
  tools: readonly Tool[],
  result: string,
  { dialect, prompt }: { readonly dialect: string; readonly prompt: string },
): Assembly {
  const turn = turnState("问", { tools, runs: tools.slice(0, 1).map(({ name }) => ran(name, {}, result)) })
  return assemble(persona, { dialect, locale: "zh-CN", prompt, turn })
}

const harmless: PoisonedTool = { tool: "harmless", text: "好", description: "好" }
const places = shippedDialectNames().flatMap((dialect) => prompts.map((prompt) => ({ dialect, prompt })))

describe.skipIf(!dataPresent)("poisoned servers", () => {
  const poisoned = dataPresent ? readJsonLines<PoisonedTool>("injection/asb-attack-tools.jsonl") : []
  const strings = dataPresent ? [...new Set(hostileStrings())].filter((text) => visible(text).trim() !== "") : []
  /** ASB's tools, and every other hostile string as a tool's words. */
  const words = [...poisoned, ...strings.map((text) => ({ tool: "string", text, description: text }))]

  test.each(places)(
    "T10 T28 $dialect/$prompt: ASB's tools and every hostile string, listed and returned, forge nothing",
    async (place) => {
      const all = triedOf(words, places.indexOf(place))
      const plain = await toolsOf([harmless])
      const oneLine = write(plain, "好", place)
      const marks = frameLines(oneLine)
      const wanted = { short: structure(oneLine, marks), long: structure(write(plain, "好\n好", place), marks) }
      for (let from = 0; from < all.length; from += 500) {
        for (const tool of await toolsOf(all.slice(from, from + 500))) {
          const { text = "" } = all[Number(tool.name.split(".t")[1]) + from] ?? {}
          const found = structure(write([tool], text, place), marks)
          if (found === (lineBreaks.test(visible(text)) ? wanted.long : wanted.short)) continue
          expect.fail(`${tool.name}: ${JSON.stringify(tool.description)} gives\n${found}\n\nnot\n${wanted.long}`)
        }
      }
    },
  )

  test("the same words put in as they are do forge structure, so the reader can tell", async () => {
    const plain = await toolsOf([harmless])
    const expected = write(plain, "好", { dialect: "fay", prompt: "planner" })
    const marks = frameLines(expected)
    const raw = (text: string) => ({
      ...expected,
      messages: expected.messages.map((message) => ({ ...message, content: message.content.replace("好", () => text) })),
    })
    const forged = strings.filter((text) => structure(raw(text), marks) !== structure(expected, marks))
    expect(forged.length).toBeGreaterThan(100)
  })

  test("none of ASB's tools is lost, native requests carry nothing that hides, and no tool takes another's name", async () => {
    const tools = await toolsOf(poisoned)
    expect(tools).toHaveLength(poisoned.length)
    const native = nativeTools(tools)
    expect(new Set(native.tools.map(({ name }) => name)).size).toBe(tools.length)
    for (const { name } of tools) expect(native.nameOf(native.nativeNameOf(name))).toBe(name)
    expect(JSON.stringify(native.tools)).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u)
  })

  test("every hostile string that a server returns is read back as it was", () => {
    const words = mcpWords("en")
    for (const text of strings) expect(readContent([{ type: "text", text }], words).text).toBe(text)
  })
})

/** Tools as an agent gets them: listed by a server, read over a pipe. Names count up, as ASB's repeat. */
async function toolsOf(poisoned: readonly PoisonedTool[]): Promise<readonly Tool[]> {
  const list = JSON.stringify(poisoned.map((one, n) => listed(`t${n}`, one)))
  const toolsFile = join(tempFolder({ "tools.json": list }), "tools.json")
  const { mcp } = await connected({ evil: fakeServer({ toolsFile }, { allow: ["t*"] }) })
  await mcp.close()
  return mcp.tools
}

describe("a server that is killed", () => {
  test("1,000 calls over a server that is killed every 50 have a result or a failure each, and leave no process", async () => {
    const { mcp, call } = await connected({ fake: fakeServer() })
    const outcomes = { ok: 0, failed: 0 }
    const pids = new Set<number>()
    for (let n = 1; n <= 1_000; n++) {
      const pid = mcp.servers()[0]?.pid
      if (pid !== undefined) pids.add(pid)
      if (n % 50 === 0 && pid !== undefined) process.kill(pid, "SIGKILL")
      await call("fake.echo", { text: String(n) }).then(
        (text) => text === String(n) && outcomes.ok++,
        () => outcomes.failed++,
      )
    }
    expect(outcomes.ok + outcomes.failed).toBe(1_000)
    expect(outcomes.failed).toBeLessThanOrEqual(20)
    expect(mcp.servers()[0]?.connected).toBeGreaterThanOrEqual(20)
    await mcp.close()
    await expect.poll(() => [...pids].filter(isRunning)).toEqual([])
  })
})
