import fc from "fast-check"
import { expect, test } from "vitest"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { compileDialect } from "../../../../src/prompt/dialect/compile-dialect.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { said, turnState } from "../../../support/turns.ts"

const file = (name: string, body: string) => ({ path: `mine/en/${name}.md`, attributes: {}, body, firstLine: 1 })
const dialect = compileDialect({
  name: "mine",
  locale: "en",
  files: [
    file("chat", "${role(system)}\nBegin.\n${messages(history)}\n${role(user)}\n${lorebook.depth}\n\n${question}\n\n${rest}"),
    file("history", "${text}"),
    file("question", "${text}"),
    file("depth", "<\n${lorebook.depth}\n>"),
    file("rest", "${content}"),
    file("tools", "${name}"),
    file("runs", "${tool}"),
    file("steps", "${call}"),
    file("truncated", "cut"),
    file("entries-dropped", "cut"),
    file("optional", "optional"),
  ],
})

const roles = ["system", "user", "assistant"] as const
type Deep = readonly [depth: number, role: (typeof roles)[number]]

/** The messages as C14 says them: what is at a depth stands before that message, counted from the newest, which is the turn's own; below 0 it counts from the first. */
function naive(history: readonly string[], deep: readonly Deep[]): string[] {
  const before = new Map<number, Map<string, string[]>>()
  const behind: string[] = []
  for (const [at, [depth, role]] of deep.entries()) {
    const place = depth < 0 ? -1 - depth : Math.max(0, history.length + 1 - depth)
    if (depth >= 0 ? depth <= 1 || history.length === 0 : place >= history.length) {
      behind.push(`d${at}`)
      continue
    }
    const byRole = before.get(place) ?? new Map<string, string[]>()
    before.set(place, byRole)
    byRole.set(role, [...(byRole.get(role) ?? []), `d${at}`])
  }
  const messages = ["system: Begin."]
  for (const [at, message] of history.entries()) {
    for (const [role, items] of before.get(at) ?? []) messages.push(`${role}: <\n${items.join("\n")}\n>`)
    messages.push(message)
  }
  return [...messages, `user: ${behind.length > 0 ? `${behind.join("\n")}\n\n` : ""}?`]
}

test("C14 items at a depth stand before the message at that depth, those of one role in one message", () => {
  const anyDeep = fc.array(fc.tuple(fc.integer({ min: -4, max: 9 }), fc.constantFrom(...roles)), { maxLength: 6 })
  fc.assert(
    fc.property(fc.nat(6), anyDeep, (count, deep) => {
      const history = Array.from({ length: count }, (_, at) => said(at % 2 === 0 ? "user" : "assistant", `m${at}`))
      const stack = new PromptStack(
        deep.map(([depth, role], at) => ({ key: `lorebook.depth/${depth}.${role}/n${at}`, content: `d${at}` })),
      )
      const { messages, decisions, spans } = assemble(stack, { dialect, prompt: "chat", turn: turnState("?", { history }) })
      const shown = history.map(({ role, text }) => `${role}: ${text}`)
      expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual(naive(shown, deep))
      expect(decisions.filter(({ fate }) => fate !== "kept")).toEqual([])
      for (const [at, [depth, role]] of deep.entries())
        expect(spans.filter(({ key }) => key === `lorebook.depth/${depth}.${role}/n${at}`).map(({ text }) => text)).toContain(
          `d${at}`,
        )
    }),
    { numRuns: runs(1_500), seed: seedOf(71) },
  )
})

test("C14 an item at a depth never stands between a message and what answers it", () => {
  const history = [
    said("user", "m0"),
    said("assistant", "m1", { runs: [{ id: "r", step: 0, tool: "t", args: {}, result: "r" }] }),
  ]
  const stack = new PromptStack([{ key: "lorebook.depth/2.system/n", content: "deep" }])
  const { messages } = assemble(stack, {
    dialect: "tavern",
    prompt: "native",
    turn: turnState("?", { history, nativeCalls: true }),
  })
  const roles = messages.map(({ role }) => role)
  const call = roles.indexOf("tool") - 1
  expect(messages[call]?.toolCalls).toHaveLength(1)
  expect(messages[call - 1]?.content ?? "").not.toBe("deep")
  expect(messages.some(({ content }) => content.includes("deep"))).toBe(true)
})

test.each<[string, Record<string, string>, string, object]>([
  [
    "a list in a slot without a file of its name",
    { chat: "${role(user)}\n${things}\n${rest}" },
    'mine/en/chat.md:2:1: expected a file things.md in dialect "mine" to print the list in ${things}, found none.\nAdd things.md with a slot for each value of an entry, or give text instead of a list.',
    { key: "things", content: [{ text: "x" }] },
  ],
  [
    "a list as messages without a file of its name",
    { chat: "${messages(things)}\n${role(user)}\n${rest}" },
    'mine/en/chat.md:1:1: expected a file things.md in dialect "mine" to print the list in ${things}, found none.\nAdd things.md with a slot for each value of an entry, or give text instead of a list.',
    { key: "things", content: [{ text: "x" }] },
  ],
  [
    "a text as messages",
    { chat: "${messages(things)}\n${role(user)}\n${rest}" },
    'mine/en/chat.md:1:1: expected a list of entries for ${messages(things)}, found text.\nGive the injection "things" a list, or write ${things} instead.',
    { key: "things", content: "x" },
  ],
  [
    "text behind messages that has none of its own",
    { chat: "${messages(things)}\nMore.\n${rest}", things: "${text}" },
    "mine/en/chat.md:2: expected all text inside a message, found some outside.\nPut ${role(user)} or ${role(system)} on a line before it.",
    { key: "things", content: [{ text: "x" }] },
  ],
  [
    "a list whose file makes messages",
    { chat: "${role(user)}\n${things}\n${rest}", things: "${text? ${role(user)}\nx}\n${rest}" },
    'mine/en/chat.md:2:1: expected a file things.md in dialect "mine" to print the list in ${things}, found none.\nAdd things.md with a slot for each value of an entry, or give text instead of a list.',
    { key: "things", content: [{ text: "x" }] },
  ],
])("%s is an error with its place", (_, bodies, message, item) => {
  const files = Object.entries({ optional: "o", truncated: "t", "entries-dropped": "e", ...bodies }).map(([name, body]) =>
    file(name, body),
  )
  const mine = compileDialect({ name: "mine", locale: "en", files })
  expect(() => assemble(new PromptStack([item as never]), { dialect: mine, prompt: "chat" })).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(?:injection|prompt|prompt-missing)$/u), message }),
  )
})
