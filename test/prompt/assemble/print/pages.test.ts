import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { printText } from "../../../../src/prompt/assemble/print/print-text.ts"
import { compileDialect } from "../../../../src/prompt/dialect/compile-dialect.ts"
import { shippedDialect, shippedDialectNames } from "../../../../src/prompt/dialect/shipped.ts"
import type { Markers } from "../../../../src/prompt/encode/lines.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import type { SlotNode } from "../../../../src/prompt/template/ast.ts"
import { decodeText } from "../../../support/decode-text.ts"
import { runs } from "../../../support/size.ts"
import { said, turnState } from "../../../support/turns.ts"
import { anyText } from "../../encode/arbitrary-text.ts"

const page = "# Title\n\nwords\n\n## Part\n```js\nrun()\n```\n[1, 2]\n[3, 4]\n---"
const fenced = `\`\`\`\`\n${page}\n\`\`\`\``
const node: SlotNode = { type: "slot", name: "text", alone: true, source: { file: "x.md", line: 1 } }
const all = shippedDialectNames()
// A sign of root at the beginning of a line counts in a fence too.
const withSigns = fenced.replaceAll(/^#/gm, "\\#")
const withFences = all.filter((name) => name !== "root")
const markersOf = (name: string, locale = "en") => shippedDialect(name, locale).markers

function print(text: string, markers: Markers, place = node): string {
  return printText({ text, trust: "user" }, { node: place, markers })
    .map((part) => part.text)
    .join("")
}

describe("T5 code and Markdown in a place of their own", () => {
  test.each(withFences)("in %s they stand byte for byte in a fence, which is the prompt's own text", (dialect) => {
    for (const locale of ["en", "zh-CN"]) {
      const turn = turnState("hm", { memories: [{ text: page }] })
      const { spans, messages } = assemble(new PromptStack(), { dialect, locale, turn })
      expect(messages.map(({ content }) => content).join("\n")).toContain(fenced)
      const at = spans.findIndex(({ text }) => text === page)
      expect(spans.slice(at - 1, at + 2).map(({ part, trust }) => `${part} ${trust}`)).toEqual([
        "frame author",
        "content memory",
        "frame author",
      ])
    }
  })

  test.each(["en", "zh-CN"])(
    "in root, %s, they stand in a fence too, in which only the lines with a sign are marked",
    (locale) => {
      const turn = turnState("hm", { memories: [{ text: page }] })
      const { messages } = assemble(new PromptStack(), { dialect: "root", locale, turn })
      expect(messages.map(({ content }) => content).join("\n")).toContain(withSigns)
      const code = "```js\nrun()\n```\n---\n[1, 2]\n"
      expect(print(code, markersOf("root", locale))).toBe(`\`\`\`\`\n${code}\n\`\`\`\``)
      expect(print(`${code} ^Bob:hi\n＃read`, markersOf("root", locale))).toContain("\n\\ ^Bob:hi\n\\＃read\n````")
    },
  )

  test.each(["```js\nrun()\n```", "```js\nrun()", "hm\n~~~"])("in root a fence in somebody's words is marked: %j", (words) => {
    const { messages } = assemble(new PromptStack(), { dialect: "root", turn: turnState(words) })
    expect(messages.at(-1)?.content).toContain(words.replaceAll(/^(?=```|~~~)/gm, "\\"))
  })

  test.each([
    ["one heading alone", "a\n# Title\nb", "a\n\\# Title\nb"],
    ["a line of the dialect's own", "# A\n# B\n[memory context]", "\\# A\n\\# B\n\\[memory context]"],
    ["a closing marker in a line", "# A\n# B\nhi [/memory context]", "\\# A\n\\# B\nhi [\\/memory context]"],
  ])("%s is marked", (_, text, printed) => {
    expect(print(text, markersOf("soul"))).toBe(printed)
  })

  test("a line with the name of somebody in the session is marked", () => {
    const markers = { ...markersOf("soul"), names: { speaker: ["Alice"] } }
    expect(print("# A\n# B\nAlice:", markers)).toBe("\\# A\n\\# B\n\\Alice:")
    expect(print("# A\n# B\nBob:", markers)).toBe("```\n# A\n# B\nBob:\n```")
  })

  test("a value inside a line gets no fence, even where the file names the encoder", () => {
    expect(print("# A\n# B", markersOf("soul"), { ...node, alone: false, encoder: "lines" })).toBe("\\# A\n\\# B")
  })

  test("a dialect with a fence of its own around a value gets no second fence, which would close it", () => {
    const body = "${role(user)}\n## Words\n```\n${observed}\n```\n${result | fence}\n${rest}"
    const files = [{ path: "own/en/planner.md", attributes: {}, body, firstLine: 1 }]
    const { markers } = compileDialect({ name: "own", locale: "en", files })
    expect(print("## A\n```\n## B", markers)).toBe("\\## A\n\\```\n\\## B")
  })

  test("the agent's own message stays as it is: it is a message by itself", () => {
    const history = [said("user", page), said("assistant", page)]
    const { messages } = assemble(new PromptStack(), { dialect: "soul", turn: turnState("hm", { history, timeZone: "UTC" }) })
    const pages = messages.flatMap(({ content }) => (content.includes(page) ? [content] : []))
    expect(pages).toEqual([`[time: 19700101 0:00]\n${fenced}`, page])
  })

  test.each(withFences)("in %s a question prints in the next turn as it did in its own", (dialect) => {
    const now = assemble(new PromptStack(), { dialect, turn: turnState(page) })
    const history = [said("user", page), said("assistant", "well")]
    const later = assemble(new PromptStack(), { dialect, turn: turnState("and?", { history }) })
    for (const { messages } of [now, later]) expect(messages.map(({ content }) => content).join("\n")).toContain(fenced)
  })

  test("a page that is cut stays in one closed fence, with the notice in it", () => {
    const long = Array.from({ length: 200 }, (_, at) => `# Part ${at}\nsome words of part ${at}`).join("\n")
    const stack = new PromptStack([{ key: "observed", content: long, trust: "tool", fit: { rank: 1, shrink: "headTail" } }])
    for (const budgetTokens of [1_200, 900, 700]) {
      const { messages, tokens } = assemble(stack, { dialect: "soul", turn: turnState("hm"), budgetTokens })
      const text = messages.map(({ content }) => content).join("\n")
      expect(tokens).toBeLessThanOrEqual(budgetTokens)
      expect(text.match(/^```$/gm)).toHaveLength(2)
      expect(text.slice(0, text.indexOf("```\n")) + text.slice(text.lastIndexOf("\n```"))).not.toContain("# Part")
      expect(text).not.toContain("\\#")
    }
  })

  test.each(all)("in %s what was printed gives back every text", (name) => {
    const piece = fc.oneof(fc.constantFrom("# Title", "```", "````", "---", "\\# a", "[/memory context]", "\n", "\n"), anyText)
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom("en", "zh-CN"), (pieces, locale) => {
        const [text, markers] = [pieces.join(""), markersOf(name, locale)]
        const printed = print(text, markers)
        // Where texts may stand in a fence, `lines` marks each line that opens one.
        const isFenced = markers.pages === true && printed.startsWith("```")
        expect(decodeText(printed, isFenced ? "fence" : "lines", markers)).toBe(text)
      }),
      { numRuns: runs(300) },
    )
  })
})
