import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { nearestLine } from "../../../src/node/files/edit-tool.ts"
import { type FileScene, fileScene } from "./file-scene.ts"

async function readScene(text: string, options: Parameters<typeof fileScene>[1] = {}): Promise<FileScene> {
  const scene = await fileScene({ "a.md": text }, options)
  await scene.call("read", { path: "a.md" })
  return scene
}

const edit = (old_text: string, new_text: string) => ({ path: "a.md", old_text, new_text })

describe("edit", () => {
  test("D10 replaces an exact text that occurs once", async () => {
    const { call, text } = await readScene("- tea\n- milk\n")
    expect(await call("edit", edit("- milk", "- bread"))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("- tea\n- bread\n")
  })

  test.each(["$&", "$1", "$$", "$`", "\\n", "${x}"])("%s is literal", async (literal) => {
    const { call, text } = await readScene("one two three")
    await call("edit", edit("two", literal))
    expect(text("a.md")).toBe(`one ${literal} three`)
  })

  test("D10 a text that is not there is an error that shows the nearest line", async () => {
    const { call, text } = await readScene("# Notes\n\n- bake bread on Saturday\n- ride a bike\n")
    expect(await call("edit", edit("- Bake  bread on saturday!", "x"))).toBe(
      "! old_text was not found in a.md. It must be exactly as it stands in the file, spaces and line breaks too.\nThe nearest is line 3:\n- bake bread on Saturday",
    )
    expect(await call("edit", edit("zzzz qqqq", "x"))).toBe(
      "! old_text was not found in a.md. It must be exactly as it stands in the file, spaces and line breaks too.",
    )
    expect(text("a.md")).toContain("- bake bread on Saturday\n")
  })

  test("D10 the nearest line has most of the text, not one piece of it most often", async () => {
    const { call } = await readScene("ababababab\nabc is near\n")
    expect(await call("edit", edit("abcde", "x"))).toMatch(/The nearest is line 2:\nabc is near$/)
    const { call: ask } = await readScene("wxy\nwxyz\nwxyz again\n")
    expect(await ask("edit", edit("wxyzq", "x"))).toMatch(/The nearest is line 2:\nwxyz$/)
  })

  test("D15 a text copied with the backslash that a prompt put before its line is found, and the file gets none", async () => {
    const { call, text } = await readScene("# Memory\n\n- likes tea\n")
    const told = "a.md was changed.\nThe \\ that prompts put before some lines is not in the file, and was left out."
    const answer = await call("edit", edit("\\# Memory\n\n- likes tea", "\\# Memory\n\n- likes tea\n\\- is literal"))
    expect([answer, text("a.md")]).toEqual([told, "# Memory\n\n- likes tea\n\\- is literal\n"])
  })

  test.each(["\\likes tea", "\\", "\\# Memory\n- likes tea", "- likes\n\\tea"])(
    "D15 a backslash that is no prompt's is part of the text: %j is not found",
    async (old) => {
      const { call, text } = await readScene("# Memory\n\n- likes tea\n")
      expect(await call("edit", edit(old, "x"))).toMatch(/^! old_text was not found/)
      expect(text("a.md")).toBe("# Memory\n\n- likes tea\n")
    },
  )

  test("D15 a line of the file that begins with a backslash is found as it is", async () => {
    const { call, text } = await readScene("\\# Memory\n# Memory\n")
    expect(await call("edit", edit("\\# Memory", "\\# Notes"))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("\\# Notes\n# Memory\n")
  })

  test("D10 a text that is there several times is an error with the count and the lines", async () => {
    const { call, text } = await readScene("tea\nmilk\ntea tea\n")
    expect(await call("edit", edit("tea", "x"))).toBe(
      "! old_text occurs 3 times in a.md (lines 1, 3). Add some of the text around it, so that it occurs only once.",
    )
    expect(text("a.md")).toBe("tea\nmilk\ntea tea\n")
  })

  test.each([299, 300, 301, 900])("of a near line of %d characters at most three hundred are shown", (length) => {
    const line = `- ${"tea ".repeat(300)}`.slice(0, length)
    expect(nearestLine(`a\n${line}\n`, line.replace("tea", "tee"))).toEqual({ line: 2, text: line.slice(0, 300) })
  })

  test.each([19, 20, 21, 40])("of %d places at most twenty lines are told, and all are counted", async (count) => {
    const { call } = await readScene("tea\n".repeat(count))
    const lines = Array.from({ length: Math.min(20, count) }, (_, at) => at + 1).join(", ")
    expect(await call("edit", edit("tea", "x"))).toBe(
      `! old_text occurs ${count} times in a.md (lines ${lines}). Add some of the text around it, so that it occurs only once.`,
    )
  })

  test("places that overlap are several", async () => {
    const { call } = await readScene("aaa")
    expect(await call("edit", edit("aa", "x"))).toMatch(/^! old_text occurs 2 times/)
  })

  test.each([
    ["same", "same", "! old_text and new_text are the same; there is nothing to change."],
    ["", "x", "! old_text is empty. Give the text in the file that is to be replaced."],
  ])("D10 from %j to %j is an error", async (before, after, words) => {
    const { call } = await readScene("same")
    expect(await call("edit", edit(before, after))).toBe(words)
  })

  test("white space alone can be replaced, and a text deleted", async () => {
    const { call, text } = await readScene("a \n\n\nb")
    expect(await call("edit", edit(" \n\n\n", "\n"))).toBe("a.md was changed.")
    expect(await call("edit", edit("\nb", ""))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("a")
  })

  test("D10 a file must have been read in this turn", async () => {
    const { call, text } = await readScene("one")
    const unread = "! Read a.md with the read tool before you change it."
    expect(await call("edit", edit("one", "two"), { turnId: "turn_2" })).toBe(unread)
    expect(await call("edit", edit("one", "two"), { conversation: "other" })).toBe(unread)
    expect(text("a.md")).toBe("one")
  })

  test("D10 a file that somebody else changed meanwhile must be read again, also where its length and place are the same", async () => {
    const { call, folder, text } = await readScene("one")
    writeFileSync(join(folder, "a.md"), "own")
    expect(await call("edit", edit("own", "two"))).toBe(
      "! a.md was changed after you read it. Read it again before you change it.",
    )
    expect(text("a.md")).toBe("own")
    await call("read", { path: "a.md" })
    expect(await call("edit", edit("own", "two"))).toBe("a.md was changed.")
  })

  test("D10 a change that falls into the asking is not lost", async () => {
    const { call, folder, text } = await readScene("one", { confirmRule: () => "ask" })
    const confirm = () => {
      writeFileSync(join(folder, "a.md"), "theirs")
      return true
    }
    expect(await call("edit", edit("one", "two"), { confirm })).toBe(
      "! a.md was just changed by somebody else; nothing was written. Read it again first.",
    )
    expect(text("a.md")).toBe("theirs")
  })

  test("D10 one's own change counts as read: edit after edit, and after write", async () => {
    const { call, text } = await readScene("one two")
    await call("edit", edit("one", "1"))
    expect(await call("edit", edit("two", "2"))).toBe("a.md was changed.")
    await call("write", { path: "a.md", content: "new" })
    expect(await call("edit", edit("new", "newer"))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("newer")
  })

  test("D10 of a file that was read in part, only what was read can be edited", async () => {
    const { call } = await fileScene({ "a.md": "first\nsecond\nthird\n" })
    await call("read", { path: "a.md", offset: 2, limit: 1 })
    expect(await call("edit", edit("second", "a longer second line"))).toBe("a.md was changed.")
    expect(await call("edit", edit("longer", "very long"))).toBe("a.md was changed.")
    const partly = "! You have not read all of a.md that this would change. Read the rest first."
    expect(await call("edit", edit("third", "x"))).toBe(partly)
    expect(await call("write", { path: "a.md", content: "x" })).toBe(partly)
    await call("read", { path: "a.md", offset: 3 })
    expect(await call("edit", edit("third", "x"))).toBe("a.md was changed.")
  })

  test("a file of CRLF lines is edited with LF and keeps its line ends and its byte order mark", async () => {
    const { call, text } = await readScene("\uFEFFone\r\ntwo\r\nthree\r\n")
    expect(await call("edit", edit("one\ntwo\n", "1\n2\n2b\n"))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("\uFEFF1\r\n2\r\n2b\r\nthree\r\n")
    expect(await call("edit", edit("2b\r\nthree", "3"))).toBe("a.md was changed.")
    expect(text("a.md")).toBe("\uFEFF1\r\n2\r\n3\r\n")
  })

  test.each(["\ud83d", "a\0b"])("%j, which nobody could read again, is refused and nothing is written", async (bad) => {
    const { call, text } = await readScene("one")
    expect(await call("edit", edit("one", bad))).toBe(
      "! The content holds half a character or a NUL; nothing was written. Leave it out and try again.",
    )
    expect(text("a.md")).toBe("one")
  })

  test("every change is noted with its diff and the id by which it can be undone", async () => {
    const { call, records, workspace, text } = await readScene("one\ntwo\n")
    await call("edit", edit("two", "2"))
    expect(records).toEqual([
      { kind: "write", tool: "edit", summary: "changed a.md", detail: "@@ -1,2 +1,2 @@\n one\n-two\n+2", id: expect.any(String) },
    ])
    const [change] = await workspace.history()
    expect(change).toMatchObject({ id: records[0]?.id, by: "fay", path: "a.md" })
    await workspace.undo({ by: "user" })
    expect(text("a.md")).toBe("one\ntwo\n")
  })

  test.each([
    ["one wrong character of five", "称乎：主人", 2],
    ["a part of a long line", "喜欢喝冰美事", 3],
    ["a part that stands there in another case and with other blanks", "likes  TEA", 4],
    ["nothing alike", "火车时刻表", undefined],
  ])("the nearest line is found by %s", (_, wanted, line) => {
    const text =
      "# 用户\n- 称呼：主人\n- 早上七点起床，喜欢喝冰美式，周末常去爬山，晚上看书到很晚才睡\nalso likes tea, bread and long walks\n"
    expect(nearestLine(text, wanted)?.line).toBe(line)
  })

  test("a large file with nothing near is searched for a near line in bounded work", () => {
    const text = `${"lorem ipsum dolor\n".repeat(50_000)}the one line we want\n`
    expect(nearestLine(text, "\n  the one line we wnat\nmore")).toEqual({ line: 50_001, text: "the one line we want" })
    expect(nearestLine("x".repeat(2_000_000), "y".repeat(2_000_000))).toBeUndefined()
    expect(nearestLine(text, "\n \n")).toBeUndefined()
  })
})
