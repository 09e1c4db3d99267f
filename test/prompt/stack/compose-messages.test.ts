import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { composeMessages, compositionOf, splitSystemPrompt } from "../../../src/prompt/stack/compose-messages.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { joinSpans } from "../../../src/prompt/stack/render.ts"
import { runs } from "../../support/size.ts"
import { anyStack, promptText } from "./arbitrary-stack.ts"

interface Chat {
  readonly role: string
  readonly content: string
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const chat = (base: string): Chat[] => [
  { role: "system", content: base },
  { role: "user", content: "你好" },
]
const items = [
  { key: "safety", content: "safe", priority: 10 },
  { key: "rules", content: "rule", role: "developer", priority: 5 },
] as const

describe("composeMessages", () => {
  test("S8 one system message on top, then the history without its old system messages, the very same objects", () => {
    const messages = [...chat("base"), { role: "system", content: "more" }, { role: "assistant", content: "hi" }]
    const before = copy(messages)
    const composed = composeMessages(new PromptStack(items), messages)
    expect(composed).toEqual([
      { role: "system", content: "base\n\nmore\n\n## rules\nrule\n\n## safety\nsafe" },
      { role: "user", content: "你好" },
      { role: "assistant", content: "hi" },
    ])
    expect(composed[1]).toBe(messages[1])
    expect(composed[2]).toBe(messages[3])
    expect(messages).toEqual(before)
  })

  test("S8 developer items become a developer message where there is that role", () => {
    expect(composeMessages(new PromptStack(items), chat("base"), { developerRole: true })).toEqual([
      { role: "system", content: "base\n\n## safety\nsafe" },
      { role: "developer", content: "## rules\nrule" },
      { role: "user", content: "你好" },
    ])
    const onlyRules = new PromptStack([items[1]])
    expect(composeMessages(onlyRules, [], { developerRole: true })).toEqual([{ role: "developer", content: "## rules\nrule" }])
  })

  test("S8 where there is nothing to say there is no system message", () => {
    expect(composeMessages(new PromptStack(), chat(" "))).toEqual([{ role: "user", content: "你好" }])
  })

  test("S8 the system message is what the stack renders over the base", () => {
    fc.assert(
      fc.property(anyStack, promptText, fc.constantFrom("key" as const, "none" as const), (make, base, heading) => {
        const rendered = make().render(base, { heading })
        const [first] = composeMessages(make(), chat(base), { heading })
        expect(first?.role === "system" ? first.content : "").toBe(rendered)
      }),
    )
  })

  test("S10 the composed message carries its base and the spans that tile it, and is plain data", () => {
    const [system] = composeMessages(new PromptStack(items), chat("base"))
    expect(Object.getOwnPropertyNames(system)).toEqual(["role", "content"])
    const composition = system && compositionOf(system)
    expect(composition?.base).toBe("base")
    expect(joinSpans(composition?.spans ?? [])).toBe(system?.content)
    expect(compositionOf(chat("base")[0] ?? {})).toBeUndefined()
  })

  test("S10 a composed message whose content was changed since is read as it stands", () => {
    const [system] = composeMessages<Chat>(new PromptStack(items), [])
    const edited = Object.assign(system ?? {}, { role: "system", content: "edited" })
    expect(splitSystemPrompt([edited]).basePrompt).toBe("edited")
  })

  test("S10 splitting a composed prompt gives its base back", () => {
    const composed = composeMessages(new PromptStack(items), chat("base"), { developerRole: true })
    expect(splitSystemPrompt(composed).basePrompt).toBe("base")
  })

  test("S10 a prompt that somebody saved does not grow, by way of messages or of a string", () => {
    const stack = new PromptStack(items)
    const once = composeMessages(stack, chat("base"))
    expect(composeMessages(stack, copy(once))).toEqual(once)
    const { basePrompt } = splitSystemPrompt(copy(once))
    expect(stack.render(basePrompt)).toBe(once[0]?.content)
    expect(stack.render(stack.render("base"))).toBe(once[0]?.content)
  })

  test("S10 saved sections give way to the new ones when the stack has changed, also over turns", () => {
    const session = new PromptStack([{ key: "safety", content: "safe", scope: "session" }])
    const first = session.fork()
    first.add("mood", "happy")
    const saved = copy(composeMessages(first, chat("base")))
    session.merge(first)
    const second = session.fork()
    second.add("mood", "sad")
    expect(composeMessages(second, saved)[0]?.content).toBe("base\n\n## safety\nsafe\n\n## mood\nsad")
  })

  test("S10 a look at the stack under other headings does not make a saved prompt grow", () => {
    const stack = new PromptStack(items)
    const once = composeMessages(stack, chat("base"))
    stack.add("mood", "happy")
    stack.render("", { heading: "none" })
    composeMessages(stack, chat("base"), { heading: "none" })
    stack.remove("mood")
    expect(composeMessages(stack, copy(once))).toEqual(once)
  })

  test("S10 other headings of the base stay, even a section like the stack's own that is not at the end", () => {
    const base = "## rules\nrule\n\n## safety\nsafe\n\n## mine\nx"
    const stack = new PromptStack(items)
    const once = composeMessages(stack, chat(base))
    expect(once[0]?.content).toBe(`${base}\n\n## rules\nrule\n\n## safety\nsafe`)
    expect(composeMessages(stack, copy(once))).toEqual(once)
    expect(composeMessages(stack, chat(base))).toEqual(once)
  })

  test("S10 a base that ends in the stack's own sections gives the same each time", () => {
    const base = "mine\n\n## rules\nrule\n\n## safety\nsafe"
    const stack = new PromptStack(items)
    const once = composeMessages(stack, chat(base))
    expect(once[0]?.content).toBe(`${base}\n\n## rules\nrule\n\n## safety\nsafe`)
    expect(composeMessages(stack, chat(base))).toEqual(once)
    expect(stack.render(base)).toBe(once[0]?.content)
    expect(composeMessages(stack, copy(once))).toEqual(once)
  })

  test("S10 another stack's sections in a bare string promise nothing", () => {
    const once = composeMessages(new PromptStack(items), chat("base"))
    const again = composeMessages(new PromptStack(items), copy(once))
    expect(again[0]?.content).toBe(`${once[0]?.content}\n\n## rules\nrule\n\n## safety\nsafe`)
  })

  test("S10 composing, splitting and composing again gives the same messages, for any stack, base and way in between", () => {
    const ways = fc.array(fc.constantFrom("as they are", "saved", "split", "split saved", "same input"), {
      minLength: 1,
      maxLength: 5,
    })
    const bases = fc.array(promptText, { maxLength: 3 })
    fc.assert(
      fc.property(anyStack, bases, ways, fc.boolean(), fc.boolean(), (make, written, route, developerRole, isSaved) => {
        const stack = make()
        const texts = isSaved ? [...written, make().render(written[0])] : written
        const input: Chat[] = [...texts.map((content) => ({ role: "system", content })), { role: "user", content: "hi" }]
        const once = composeMessages(stack, input, { developerRole })
        let messages: Chat[] = once
        for (const way of route) {
          if (way === "saved") messages = copy(messages)
          if (way === "same input") messages = input
          if (way === "split" && !developerRole) messages = resplit(messages)
          if (way === "split saved" && !developerRole) messages = resplit(copy(messages))
          messages = composeMessages(stack, messages, { developerRole })
          expect(messages).toEqual(once)
        }
      }),
      { numRuns: runs(2000) },
    )
  })

  test("S10 rendering a rendering gives the same, for any stack and base", () => {
    fc.assert(
      fc.property(anyStack, promptText, fc.boolean(), (make, written, isSaved) => {
        const stack = make()
        const base = isSaved ? make().render(written) : written
        const once = stack.render(base)
        expect(stack.render(once)).toBe(once)
        expect(stack.render(copy(once))).toBe(once)
        expect(stack.render(base)).toBe(once)
      }),
      { numRuns: runs(2000) },
    )
  })
})

/** The messages as somebody has them who keeps only a base prompt and a history. */
function resplit(messages: readonly Chat[]): Chat[] {
  const { basePrompt, history } = splitSystemPrompt(messages)
  return [{ role: "system", content: basePrompt }, ...history]
}
