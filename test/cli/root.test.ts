import { describe, expect, test } from "vitest"
import { scriptedModel } from "../../src/testing/index.ts"
import { finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { jsonLines } from "../support/terminal.ts"
import { run } from "./run.ts"

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
    expect(stderr).toContain("%[lost.txt], which was not opened: missing")
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
})
