import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { priority, type SlotValue } from "../../../src/core/value.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { near, noOption } from "../../support/error-formulas.ts"

const code = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return PromptStrataError.isInstance(error) ? error.code : String(error)
  }
  return "nothing thrown"
}

describe("PromptStack", () => {
  test("S1 what is left out takes its default", () => {
    const stack = new PromptStack()
    stack.add({ key: "world_book", content: "雨天" })
    expect(stack.get("world_book")).toEqual({
      key: "world_book",
      content: "雨天",
      trust: "author",
      priority: 100,
      role: "system",
      scope: "turn",
      enabled: true,
    })
  })

  test("S2 the recommended priorities put safety first and the reaction plan last", () => {
    const stack = new PromptStack()
    const names = Object.keys(priority) as (keyof typeof priority)[]
    for (const name of names.toReversed()) stack.add(name, "x", { priority: priority[name] })
    expect(stack.items().map((item) => item.key)).toEqual(names)
    expect(priority).toMatchObject({ safety: 10, characterMemories: 60, worldBook: 65, reactionPlan: 90 })
  })

  test("S3 the same key replaces the whole item and keeps its place", () => {
    const stack = new PromptStack()
    stack.add("state", "心情: 开心", { priority: 40, scope: "session", role: "developer" })
    stack.add("other", "x", { priority: 40 })
    stack.add({ key: "state", content: "心情: 委屈", priority: 40 })
    expect(stack.keys).toEqual(["state", "other"])
    expect(stack.render()).toBe("## state\n心情: 委屈\n\n## other\nx")
    expect(stack.get("state")).toMatchObject({ scope: "turn", role: "system" })
  })

  test.each<[string, SlotValue]>([
    ["an empty string", ""],
    ["blanks and line breaks", " \n\t\u3000\u2028"],
    ["a blank text", { text: " \n", trust: "user" }],
    ["no entries", []],
    ["a flag that is down", false],
  ])("S3 %s is not added and does not remove what is there", (_what, content) => {
    const stack = new PromptStack([{ key: "kept", content: "x" }])
    expect(stack.add("new", content)).toBe(false)
    expect(stack.add("kept", content)).toBe(false)
    expect(stack.keys).toEqual(["kept"])
    expect(stack.render()).toBe("## kept\nx")
  })

  test("S3 content is trimmed, and its source moves along with its first line", () => {
    const stack = new PromptStack()
    stack.add("string", "\n\n a\n", { source: { file: "a.md", line: 3 } })
    stack.add("text", { text: " \r\n b ", trust: "user", source: { file: "b.md", line: 1, column: 2 } })
    stack.add("same line", { text: " c", trust: "author", source: { file: "c.md", line: 9 } })
    expect(stack.get("string")).toMatchObject({ content: "a", source: { file: "a.md", line: 5 } })
    expect(stack.get("text")?.content).toEqual({ text: "b", trust: "user", source: { file: "b.md", line: 2 } })
    expect(stack.get("same line")?.content).toMatchObject({ text: "c", source: { file: "c.md", line: 9 } })
  })

  test("S4 remove, get, keys and clearScope", () => {
    const stack = new PromptStack()
    stack.add("b", "1", { scope: "turn", priority: 90 })
    stack.add("a", "2", { scope: "session", priority: 10 })
    stack.add("c", "3", { scope: "turn" })
    expect(stack.keys).toEqual(["b", "a", "c"])
    expect(stack.remove("none")).toBe(false)
    expect(stack.clearScope("turn")).toBe(2)
    expect(stack.clearScope("turn")).toBe(0)
    expect(stack.get("b")).toBeUndefined()
    expect(stack.remove("a")).toBe(true)
    expect(stack.keys).toEqual([])
  })

  test("S4 a key that JavaScript objects have is a key like any other", () => {
    const stack = new PromptStack([{ key: "__proto__", content: "x" }])
    expect(stack.get("constructor")).toBeUndefined()
    expect(stack.get("__proto__")?.content).toBe("x")
    expect(stack.render()).toBe("## __proto__\nx")
    expect(stack.remove("toString")).toBe(false)
  })

  test.each(["", " ", "a\nb", "a\u2028b", "a\u0085", "a\tb", "a\u0000", "a\u001b[31m", "a\u202eb", "a\ud800", "a\u{e0041}"])(
    "the key %j is refused",
    (key) => {
      expect(code(() => new PromptStack().add(key, "x"))).toBe("injection")
      expect(code(() => new PromptStack([{ key, content: "" }]))).toBe("injection")
    },
  )

  test("fields outside their range are refused, with what was expected and found", () => {
    const add = (fields: object) => () => new PromptStack().add({ key: "k", content: "x", ...fields })
    for (const fields of [{ priority: Number.NaN }, { role: "user" }, { scope: "forever" }, { trust: "admin" }]) {
      expect(code(add(fields))).toBe("injection")
    }
    const fits = [
      null,
      {},
      { rank: Number.NaN, shrink: "drop" },
      { rank: 1, shrink: "melt" },
      { rank: 1, shrink: "drop", minTokens: "x" },
    ]
    for (const fit of fits) expect(code(add({ fit }))).toBe("injection")
    for (const source of [{}, { file: "a", line: "1" }]) expect(code(add({ source }))).toBe("injection")
    for (const enabled of ["no", 1]) expect(code(add({ enabled }))).toBe("injection")
    const circle: unknown[] = []
    circle.push({ again: circle })
    const inEntries = [
      [17],
      ["x"],
      [null],
      [{ text: 17 }],
      [{ list: [{ text: null }] }],
      [{ a: { text: "x", trust: "admin" } }],
      circle,
    ]
    for (const content of [null, undefined, 17, { words: "x" }, ...inEntries]) expect(code(add({ content }))).toBe("injection")
    for (const item of [undefined, null, 17]) {
      const message = expect.stringContaining("Expected a key of one line without control characters, found undefined.")
      const thrown = expect.objectContaining({ code: "injection", message })
      expect(() => new PromptStack().add(item as never)).toThrow(thrown)
      expect(() => new PromptStack([item as never])).toThrow(thrown)
    }
    expect(code(add({ content: [{ text: "x", absent: undefined, list: [{ is: true }] }] }))).toBe("nothing thrown")
    expect(add({ scope: "forever" })).toThrow('Expected scope global, session or turn of "k", found "forever".')
  })
})

test("a misspelt field of an item is refused: without its trust, a tool's text would pass for the author's", () => {
  const stack = new PromptStack()
  const misspelt = { trsut: "tool" } as object
  expect(() => stack.add("rag", "text", misspelt)).toThrow(`${noOption('The injection "rag"', "trsut")}${near("trust")}`)
  expect(stack.get("rag")).toBeUndefined()
})
