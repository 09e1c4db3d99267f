import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { decodeLines, lineShapes, type Markers } from "../../../src/prompt/encode/lines.ts"
import { composeMessages } from "../../../src/prompt/stack/compose-messages.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { renderSpans } from "../../../src/prompt/stack/render.ts"
import { runs } from "../../support/size.ts"
import { anyStack, promptText } from "../stack/arbitrary-stack.ts"

const locales = ["en", "zh-CN"] as const

/** The markers that the stack protects when it renders by itself: its headings. */
const ownMarkers: Markers = { lines: new Set(), heads: ["##"], fences: false, shapes: [lineShapes.heading] }

/** The dialect's chat prompt over a stack and a base, as messages. */
function chat(stack: PromptStack, base: string, { locale, developer = false }: { locale: string; developer?: boolean }) {
  const withBase = new PromptStack([...stack.items(), { key: "base", content: base, scope: "global" as const }])
  return assemble(withBase, { dialect: "stack", prompt: "chat", locale, roles: { developer } })
}

/** Lists of entries print through files of the dialect that the stack does not know; `base` is the dialect's slot. */
const plain = anyStack.map((make) => () => {
  const items: InjectionInput[] = make().items()
  return new PromptStack(items.filter(({ key }) => key !== "base"))
})

/** The text of spans without the backslashes in what others wrote, or the fence around it. */
function undo(spans: readonly { text: string; part: string; trust: string }[], markers: Markers): string {
  let [undone, fence] = ["", ""]
  for (const { text, part, trust } of spans) {
    const isOthers = part === "content" && trust !== "author"
    const opening = isOthers ? (/(?<=^|\n)`{3,}\n$/.exec(undone)?.[0] ?? "") : ""
    undone = undone.slice(0, undone.length - opening.length)
    if (isOthers) undone += opening === "" ? decodeLines(text, markers) : text
    else undone += fence === "" ? text : text.replace(`\n${fence}`, "")
    fence = opening.trim()
  }
  return undone
}

describe("one renderer", () => {
  test("S5 what an author wrote: stack.render(base) is the system message of the dialect, for any stack and base", () => {
    const authored = plain.map((make) => () => {
      const items = make().items()
      return new PromptStack(items.map((item) => ({ ...item, trust: "author" as const, content: byAuthor(item.content) })))
    })
    fc.assert(
      fc.property(authored, promptText, fc.constantFrom(...locales), (make, text, locale) => {
        const base = text.trim()
        const { messages } = chat(make(), base, { locale })
        expect(messages.map(({ content }) => content).join("")).toBe(make().render(base))
        expect(messages.every(({ role }) => role === "system")).toBe(true)
      }),
      { numRuns: runs(1500) },
    )
  })

  test("S5 what others wrote too: the two differ at most in backslashes and fences that only the dialect needs", () => {
    fc.assert(
      fc.property(plain, promptText, fc.constantFrom(...locales), (make, text, locale) => {
        const { spans } = chat(make(), text.trim(), { locale })
        const rendered = renderSpans(text.trim(), make().items())
        const { markers } = shippedDialect("stack", locale)
        expect(undo(spans, markers)).toBe(undo(rendered, ownMarkers))
      }),
      { numRuns: runs(1500) },
    )
  })

  test("S8 with a developer role both make the same system and developer message", () => {
    const stack = new PromptStack([
      { key: "a", content: "1", priority: 10 },
      { key: "b", content: "2", priority: 20, role: "developer" },
      { key: "c", content: "3\n\n4", priority: 30, role: "developer" },
    ])
    for (const developer of [true, false]) {
      const composed = composeMessages(stack, [{ role: "system", content: "base" }], { developerRole: developer })
      expect(chat(stack, "base", { locale: "en", developer }).messages).toEqual(composed)
    }
  })
})

function byAuthor(content: InjectionInput["content"]): InjectionInput["content"] {
  if (typeof content !== "object") return content
  if (!Array.isArray(content)) return { ...(content as { text: string }), trust: "author" }
  return content
}
