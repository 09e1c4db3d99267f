import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { run, start } from "./run.ts"

describe("chat root", () => {
  test.each(["zh-CN", "en"])("R29 works offline in %s", async (locale) => {
    const { code, stdout } = await run(["chat", "root", "--once", "17*23", "--locale", locale, "--data-dir", tempFolder({})])
    expect(code).toBe(0)
    expect(stdout).toContain("391")
  })

  test("R8 tells of a file that the answer shows, by its place and size, and leaves one that is not there", async () => {
    const dataFolder = tempFolder({ "workspace/notes.txt": "一\n二\n三\n" })
    const model = scriptedModel([finish("给你 %[notes.txt] Line 1 ~ Line 2 和 %[lost.txt]")])
    const args = ["chat", "root", "--once", "笔记", "--locale", "zh-CN", "--data-dir", dataFolder]
    const { code, stdout, stderr } = await run(args, { model })
    expect(code).toBe(0)
    expect(stdout).toContain("给你  和 %[lost.txt]")
    expect(stderr).toContain("+ %[notes.txt] Line 1 ~ Line 2 (text/plain, 7 B)")
    expect(stderr).toContain("回答里显示了 %[lost.txt]，但它没有打开：missing。")
  })

  test("R8 as JSON the bytes of a file stand in its own line, once", async () => {
    const dataFolder = tempFolder({ "workspace/notes.txt": "only once" })
    const args = ["chat", "root", "--once", "笔记", "--json", "--data-dir", dataFolder]
    const { stdout } = await run(args, { model: scriptedModel([finish("%[notes.txt]")]) })
    const base64 = Buffer.from("only once").toString("base64")
    expect(stdout.split(base64)).toHaveLength(2)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      type: "turn-end",
      result: { attachments: [{ path: "notes.txt", bytes: 9 }] },
    })
  })

  test("R29 the agent's colour reaches the terminal: its name and its emotions", async () => {
    const folder = tempFolder({ "mine.toml": 'extends = "root"\n[prompt]\nformat = "emotion_pipe"\n' })
    const args = ["chat", join(folder, "mine.toml"), "--locale", "en", "--data-dir", folder]
    const talk = async (env: Readonly<Record<string, string>>) => {
      const model = scriptedModel([finish("[happy] ||| Hello!")])
      const { type, shows, code, written } = start(args, { model, terminal: true, env })
      await shows("You: ")
      type("hi\r")
      await shows("You: ", 2)
      type("\u0004")
      expect(await code).toBe(0)
      return written.stdout
    }
    const coloured = await talk({ COLORTERM: "truecolor" })
    expect(coloured).toContain("\u001b[1m\u001b[38;2;29;117;179mQinglan:\u001b[39m \u001b[22mHello!")
    expect(coloured).toContain("\u001b[2m\u001b[38;2;29;117;179m~ happy\u001b[39m\u001b[22m")
    expect(await talk({ NO_COLOR: "1" })).not.toContain("38;2;")
  })

  test("R29 programs that show the agent get its colour with each turn, in the first event and in the trace", async () => {
    const args = ["chat", "root", "--once", "hi", "--json", "--show", "trace", "--data-dir", tempFolder({})]
    const events = jsonLines((await run(args, { model: scriptedModel([finish("hello")]) })).stdout)
    expect(events[0]).toMatchObject({ type: "turn-start", colour: "#1D75B3" })
    expect(events.at(-1)).toMatchObject({ type: "turn-end", result: { trace: { colour: "#1D75B3" } } })
  })
})
