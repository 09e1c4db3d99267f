import { describe, expect, test } from "vitest"
import { tiktokenCounter } from "../../../src/adapters/tokenizers/tiktoken/index.ts"
import type { TiktokenEncoding } from "../../../src/adapters/tokenizers/tiktoken/tiktoken-counter.ts"
import { promptSections } from "../../../src/apps/cli/print-prompt.ts"
import type { Assembly } from "../../../src/core/span.ts"
import { plainProfile, run } from "./run.ts"

const zh = ["--locale", "zh-CN", "--question", "今天天气怎么样？"]

async function assemblyOf(...args: string[]): Promise<Assembly> {
  const { code, stdout, stderr } = await run(["render", ...args, "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout) as Assembly
}

/** The prestart tool prints the real time, which differs between two runs. */
const withoutTime = (text: string) => text.replace(/\d\d:\d\d:\d\d/g, "TIME")

describe("render", () => {
  test("prints fay's prompt as its document has it, and its size beside it", async () => {
    const { code, stdout, stderr } = await run(["render", "fay", ...zh])
    expect(code).toBe(0)
    expect(stdout).toContain("**提问内容**\n主人：\n```\n今天天气怎么样？\n```\n---\n**系统设定**\n")
    expect(stdout).toContain("\n---\n\n**预启动工具结果**\n【current_time】\n```\n")
    expect(stdout).toContain("\n---\n\n**可用工具**\n- current_time: ")
    expect(stdout.endsWith('    {"action": "finish", "message": "你的回复内容"}\n')).toBe(true)
    expect(stderr).toMatch(/^\d+ 条消息 · \d+ 个 token，消息之外另有 \d+ 个 · 精确\n$/)
  })

  test("prints the messages of --json and nothing else, each under its role where there are several", async () => {
    const { messages } = await assemblyOf("fay", ...zh)
    const { stdout } = await run(["render", "fay", ...zh])
    const parts = messages.map(({ role, content }) => (messages.length === 1 ? content : `══ ${role}\n${content}`))
    expect(withoutTime(stdout)).toBe(withoutTime(`${parts.join("\n\n")}\n`))
  })

  test("S14 counts as the model's tokenizer does, of no model as that of OpenAI's newest ones", async () => {
    const tokensOf = async (encoding: TiktokenEncoding, env: Record<string, string>) => {
      const { messages, tokens, exact } = await assemblyOf("fay", ...zh)
      const named = JSON.parse((await run(["render", "fay", "--json", ...zh], { env })).stdout) as Assembly
      const { count } = await tiktokenCounter({ encoding })
      const counted = messages.reduce((sum, { content }) => sum + count(content), 0)
      return { counted, named: named.tokens, tokens, exact }
    }
    const newest = await tokensOf("o200k_base", {})
    expect(newest).toEqual({ counted: newest.tokens, named: newest.tokens, tokens: newest.tokens, exact: true })
    const older = await tokensOf("cl100k_base", { PROMPTSTRATA_MODEL: "gpt-4" })
    expect(older.named).toBe(older.counted)
    expect(older.named).toBeGreaterThan(older.tokens)
  })

  test("--tokens prints a table of the layers that adds up, and no prompt", async () => {
    const { code, stdout } = await run(["render", plainProfile, "--tokens"])
    const tokens = [...stdout.matchAll(/^ {2}\S+ +(\d+) +\d+ % /gm)].reduce((sum, [, count]) => sum + Number(count), 0)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`── ${tokens} tokens`)])
    expect(stdout).toContain("tools")
    expect(stdout).not.toContain('"action"')
  })

  test("--prompt chooses another prompt of the dialect; an unknown one is named with those there are", async () => {
    expect((await run(["render", "fay", "--prompt", "final", ...zh])).stdout).toContain("**工具执行摘要**")
    const { code, stdout, stderr } = await run(["render", "fay", "--prompt", "fnal"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^error: expected .*fnal.* "final"\?\n$/)
  })

  test("takes its language from --locale, else the profile, else the environment", async () => {
    const question = async (env: Record<string, string>, ...args: string[]) => {
      const { stdout } = await run(["render", ...args, "--json"], { env })
      return (JSON.parse(stdout) as Assembly).messages.some(({ content }) => content.includes("现在几点？")) ? "zh" : "en"
    }
    expect(await question({ LANG: "zh_CN.UTF-8" }, "fay")).toBe("zh")
    expect(await question({ LANG: "de_DE.UTF-8" }, "fay")).toBe("en")
    expect(await question({ LANG: "zh_CN.UTF-8" }, plainProfile)).toBe("en")
    expect(await question({ LANG: "en_US.UTF-8" }, plainProfile, "--locale", "zh")).toBe("zh")
  })

  test("--sections prints every character of the prompt under headings that say where it comes from", async () => {
    const assembly = await assemblyOf("fay", ...zh)
    const { stdout } = await run(["render", "fay", ...zh, "--sections"])
    expect(stdout).toContain("── question · ")
    expect(stdout).toMatch(
      /\n── question · \d+ 个 token · fay\/zh-CN\/question\.md:1–2 · user\n主人：\n```\n今天天气怎么样？\n```\n── /,
    )
    const body = stdout.split("\n").filter((line) => !/^(──|══) /.test(line))
    expect(withoutTime(body.slice(0, -2).join("\n"))).toBe(
      withoutTime(assembly.messages.map(({ content }) => content).join("\n")),
    )
  })

  test.each(["fay", "layered", "stack", "stack-cached"])("the sections of a message of %s are its content", async (profile) => {
    const assembly = await assemblyOf(profile)
    for (const [index, { content }] of assembly.messages.entries()) {
      const sections = promptSections(assembly, index)
      expect(sections.map(({ text }) => text).join("")).toBe(content)
      expect(sections.every(({ source }) => /^[^:]+\.md:\d+(–\d+)?(, |$)/.test(source))).toBe(true)
    }
  })
})
