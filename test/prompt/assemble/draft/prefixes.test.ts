import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Assembly, Message, Prefix, Span } from "../../../../src/core/span.ts"
import { type Injection, stabilities } from "../../../../src/core/value.ts"
import { assemble, assembleInjections } from "../../../../src/prompt/assemble/assemble.ts"
import { compileDialect } from "../../../../src/prompt/dialect/compile-dialect.ts"
import { findPrefixes } from "../../../support/find-prefixes.ts"
import { isLong, runs } from "../../../support/size.ts"
import { anyItems, anyTurn, perCodePoint, stackOf, turnPrompts } from "../arbitrary-turn.ts"

/** Everything before a prefix's end, with the roles: what a provider would cache. */
function textBefore({ messages }: Assembly, { message, end }: Prefix): string {
  const whole = messages.slice(0, message).map(({ role, content }) => `${role}:${content}`)
  return [...whole, `${messages[message]?.role}:${messages[message]?.content.slice(0, end)}`].join("|")
}

function own(body: string) {
  return compileDialect({
    name: "own",
    locale: "en",
    files: [
      { path: "own/en/chat.md", attributes: {}, body: `${body}\n\${rest}`, firstLine: 1 },
      { path: "own/en/history.md", attributes: {}, body: "${text}", firstLine: 1 },
    ],
  })
}

function item(key: string, scope: Injection["scope"], content: Injection["content"] = key): Injection {
  return { key, content, trust: "author", priority: 100, role: "system", scope, enabled: true }
}

function stabilityOf(body: string, text: string, injections: readonly Injection[]): string | undefined {
  const { spans } = assembleInjections(injections, { dialect: own(body), prompt: "chat" })
  return spans.find((span) => span.text.trim() === text)?.stability
}

describe("S15 prefixes", () => {
  test("end before the first span that changes more often, and say how much stands before it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, (where, items, turn) => {
        const assembly = assemble(stackOf(items), { ...where, turn, counter: perCodePoint })
        expect(assembly.prefixes.map(({ stability }) => stability)).toEqual(stabilities)
        for (const [rank, prefix] of assembly.prefixes.entries()) {
          const until = assembly.spans.findIndex((span) => stabilities.indexOf(span.stability) > rank)
          const before = until < 0 ? assembly.spans : assembly.spans.slice(0, until)
          expect(prefix.tokens).toBe(before.reduce((sum, { tokens }) => sum + tokens, 0))
          expect(prefix.message).toBe(before.at(-1)?.message ?? 0)
          expect(prefix.end).toBe(
            before.filter(({ message }) => message === prefix.message).reduce((sum, { text }) => sum + text.length, 0),
          )
        }
        expect(assembly.prefixes.at(-1)?.tokens).toBe(assembly.tokens)
      }),
      { numRuns: runs(400) },
    )
  })

  test("have equal fingerprints when and only when what stands before their ends is equal", () => {
    const byPrint = new Map<string, string>()
    const prints = new Map<string, string>()
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, (where, items, turn) => {
        const assembly = assemble(stackOf(items), { ...where, turn })
        for (const prefix of assembly.prefixes.filter(({ tokens }) => tokens > 0)) {
          const text = textBefore(assembly, prefix)
          expect(prints.get(text) ?? prefix.fingerprint).toBe(prefix.fingerprint)
          expect(byPrint.get(prefix.fingerprint) ?? text).toBe(text)
          prints.set(text, prefix.fingerprint)
          byPrint.set(prefix.fingerprint, text)
        }
      }),
      { numRuns: runs(600) },
    )
    expect(byPrint.size).toBeGreaterThan(isLong ? 500 : runs(600) / 2)
  })

  test("tell roles and the ends of messages apart", () => {
    const prints = [
      "${role(user)}\nab",
      "${role(system)}\nab",
      "${role(user)}\na\n${role(user)}\nb",
      "${role(user)}\na\n${role(assistant)}\nb",
    ].map((body) => assembleInjections([], { dialect: own(body), prompt: "chat" }).prefixes[0]?.fingerprint)
    expect(new Set(prints).size).toBe(4)
  })

  test("tell native calls apart, also where their message has no text", () => {
    const messages = (args: string): Message[] => [
      { role: "user", content: "a" },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "t", args }] },
      { role: "tool", content: "b", toolCallId: "1" },
    ]
    const span = (message: number, text: string): Span => ({
      text,
      message,
      key: "",
      part: "frame",
      trust: "author",
      stability: "global",
      tokens: 1,
    })
    const [first, second] = ["{}", '{"x":1}'].map((args) => findPrefixes(messages(args), [span(0, "a"), span(2, "b")])[0])
    expect(first).toMatchObject({ message: 2, end: 1, tokens: 2 })
    expect(first?.fingerprint).not.toBe(second?.fingerprint)
  })

  test.each<[string, string, Injection[], string]>([
    ["a frame of the file", "Always", [], "global"],
    ["a branch on a session item", "${a? Maybe}", [item("a", "session")], "session"],
    ["a branch on a turn item", "${a? Maybe}", [item("a", "turn")], "turn"],
    ["a branch on history", "${history? Maybe}", [item("history", "turn", [{ text: "x" }])], "conversation"],
    ["the other branch, of a name that nobody gave", "${a? x : Maybe}", [], "turn"],
    ["the other branch of a disabled item", "${a? x : Maybe}", [{ ...item("a", "session"), enabled: false }], "turn"],
    ["a placeholder of a name that nobody gave", "${a = Maybe}", [], "turn"],
    ["a branch in a branch: the less stable of the two", "${a? ${b? Maybe}}", [item("a", "turn"), item("b", "global")], "turn"],
    ["a value in a branch that is less stable", "${a? ${b}}", [item("a", "turn"), item("b", "global", "Maybe")], "turn"],
    ["a value by itself", "${b}", [item("b", "global", "Maybe")], "global"],
  ])("%s has the stability of its condition's value", (_, body, injections, stability) => {
    const text = body === "Always" ? "Always" : "Maybe"
    expect(stabilityOf(body, text, injections)).toBe(stability)
  })
})
