import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Assembly } from "../../../../src/core/span.ts"
import type { Injection } from "../../../../src/core/value.ts"
import { shippedDialectFiles } from "../../../../src/node/read-dialect.ts"
import { assemble, assembleInjections } from "../../../../src/prompt/assemble/assemble.ts"
import { compileDialect } from "../../../../src/prompt/dialect/compile-dialect.ts"
import { shippedDialect } from "../../../../src/prompt/dialect/shipped.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { runs } from "../../../support/size.ts"
import { turnState } from "../../../support/turns.ts"
import { anyItems, anyTurn, perCodePoint, stackOf, turnPrompts } from "../arbitrary-turn.ts"

/** The names of a shipped prompt, read from its text alone. */
function readNames({ dialect, locale, prompt }: (typeof turnPrompts)[number]): { slots: Set<string>; omit: readonly string[] } {
  const file = shippedDialectFiles(dialect, locale).files.find(({ path }) => path.endsWith(`/${prompt}.md`))
  const slots = [...(file?.body.matchAll(/\$\{(?:messages\((\w+)\)|([\w.]+)\s*[}=|])/g) ?? [])].map(
    (found) => found[1] ?? found[2] ?? "",
  )
  return { slots: new Set(slots), omit: (file?.attributes.omit ?? []) as string[] }
}

function item(key: string, content: Injection["content"], given: Partial<Injection> = {}): Injection {
  return { key, content, trust: "author", priority: 100, role: "system", scope: "turn", enabled: true, ...given }
}

function printedKeys(assembly: Assembly): string[] {
  return [...new Set(assembly.spans.filter(({ part }) => part === "content").map(({ key }) => key))]
}

describe("every injection lands", () => {
  test("each enabled one that is not empty is printed or listed with a reason, whatever its key, and nothing else is decided", () => {
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, (where, given, turn) => {
        // Ceilings cut also without a budget; they have tests of their own.
        const items = given.map(({ fit: _fit, ...rest }) => rest)
        const assembly = assemble(stackOf(items), { ...where, turn, counter: perCodePoint })
        const printed = new Set(assembly.spans.filter(({ part }) => part !== "notice").map(({ key }) => key))
        for (const { key, content, enabled, trust } of stackOf(items).items()) {
          const decisions = assembly.decisions.filter((decision) => decision.key === key)
          if (!enabled) continue
          expect(decisions.length, key).toBeGreaterThan(0)
          for (const { fate, reason } of decisions) {
            expect(["kept", "unplaced"]).toContain(fate)
            if (fate === "unplaced") expect(reason).not.toBe("")
            else if (content !== true) expect(printed).toContain(key)
          }
          // What an author wrote stands in the prompt to the letter.
          if (
            typeof content !== "string" ||
            (trust ?? "author") !== "author" ||
            decisions.some(({ fate }) => fate === "unplaced")
          )
            continue
          expect(assembly.spans.some((span) => span.key === key && span.text === content)).toBe(true)
        }
        const known = new Set([...items.map(({ key }) => key), ...turnKeys])
        for (const { key } of assembly.decisions) expect(known).toContain(key)
      }),
      { numRuns: runs(1500) },
    )
  })

  test("what no slot names stands in the rest slot by priority, equal ones as they were given", () => {
    const texts = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "rest", "developer", "constructor", "toString"), {
      minLength: 1,
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...turnPrompts),
        texts,
        fc.infiniteStream(fc.constantFrom(10, 20, 100)),
        (where, keys, priorities) => {
          const items = keys.map((key) => item(key, `<${key}>`, { priority: priorities.next().value }))
          const dialect = shippedDialect(where.dialect, where.locale)
          const assembly = assembleInjections(items, { dialect, prompt: where.prompt, developerRole: true })
          const expected = items.toSorted((a, b) => a.priority - b.priority).map(({ key }) => key)
          expect(printedKeys(assembly).filter((key) => keys.includes(key as "a"))).toEqual(expected)
          expect(new Set(assembly.spans.filter(({ text }) => text.includes("<")).map(({ message }) => message)).size).toBe(1)
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test("what a slot names stands in its slot and not in the rest, and what a file omits is said to be omitted", () => {
    for (const where of turnPrompts) {
      const { slots, omit } = readNames(where)
      const files = shippedDialectFiles(where.dialect, where.locale)
      const lists = new Set(files.files.map(({ path }) => path.slice(path.lastIndexOf("/") + 1, -3)))
      for (const key of [...slots, ...omit].filter((name) => !["rest", "developer", "standing"].includes(name))) {
        const content = lists.has(key)
          ? [{ text: "<it>", content: "<it>", call: "<it>", name: "<it>", tool: "<it>", speaker: "" }]
          : "<it>"
        const assembly = assembleInjections([item(key, content), item("other", "<rest>"), item("runs", [{ tool: "t" }])], {
          dialect: compileDialect(files),
          prompt: where.prompt,
        })
        const decision = assembly.decisions.find((candidate) => candidate.key === key)
        if (omit.includes(key)) expect(decision).toMatchObject({ fate: "unplaced", reason: "the prompt file omits it" })
        else expect(decision, `${JSON.stringify(where)} ${key}`).toMatchObject({ fate: "kept" })
        expect(assembly.spans.some((span) => span.key === key && span.source?.file.endsWith("/rest.md"))).toBe(false)
      }
    }
  })

  test("what never changes stands in the slot `standing` of a file that has one, before all that changes (S15)", () => {
    const items = [
      item("rule", "<rule>", { scope: "global" }),
      item("mood", "<mood>", { scope: "session" }),
      item("now", "<now>"),
    ]
    const { messages, spans } = assembleInjections(items, { dialect: shippedDialect("layered", "en"), prompt: "planner" })
    expect(messages[0]).toMatchObject({ role: "system", content: expect.stringContaining("<rule>") })
    expect(messages.at(-1)).toMatchObject({ role: "user", content: expect.stringMatching(/<mood>[\s\S]*<now>/) })
    expect(spans.find(({ key }) => key === "rule")?.stability).toBe("global")
  })

  test("a slot in a branch that is not taken leaves its injection unplaced, and says so", () => {
    const dialect = compileDialect({
      name: "own",
      locale: "en",
      files: [{ path: "own/en/chat.md", attributes: {}, body: "${a? ${b}}\n${rest}", firstLine: 1 }],
    })
    const assembly = assembleInjections([item("b", "words")], { dialect, prompt: "chat", counter: perCodePoint })
    expect(assembly.decisions).toEqual([
      { key: "b", fate: "unplaced", fromTokens: 5, toTokens: 0, reason: "its slot stands in a branch that was not taken" },
    ])
    const both = assembleInjections([item("b", "words"), item("a", "yes")], { dialect, prompt: "chat", counter: perCodePoint })
    expect(both.messages).toEqual([{ role: "user", content: "words\nyes" }])
  })

  test("a condition finds what stands in the rest slot, and flags, which print nothing", () => {
    const dialect = compileDialect({
      name: "own",
      locale: "en",
      files: [
        { path: "own/en/chat.md", attributes: {}, body: "${work_mode? Be quick. : Take your time.}\n${rest}", firstLine: 1 },
      ],
    })
    const chat = (...injections: Injection[]) => assembleInjections(injections, { dialect, prompt: "chat" })
    expect(chat(item("work_mode", true)).messages[0]?.content).toBe("Be quick.")
    expect(chat(item("work_mode", false)).messages[0]?.content).toBe("Take your time.")
    expect(chat(item("work_mode", "on")).messages[0]?.content).toBe("Be quick.\non")
    expect(chat(item("work_mode", true)).decisions).toMatchObject([{ key: "work_mode", fate: "kept" }])
    expect(chat(item("other_mode", true)).decisions).toMatchObject([
      { key: "other_mode", fate: "unplaced", reason: "it is a flag, and the prompt file has no condition on it" },
    ])
  })

  test("an item with the key of something the turn has is listed, and the turn's own is printed", () => {
    const stack = new PromptStack([{ key: "memories", content: "the hook's" }])
    const withMemories = assemble(stack, { dialect: "fay", turn: turnState("?", { memories: [{ text: "recalled" }] }) })
    expect(withMemories.decisions.filter(({ key }) => key === "memories")).toMatchObject([
      { fate: "kept" },
      { fate: "unplaced", reason: "another injection of its key took its place" },
    ])
    expect(withMemories.messages.at(-1)?.content).toContain("recalled")
    const without = assemble(stack, { dialect: "fay", turn: turnState("?") })
    expect(without.decisions.filter(({ key }) => key === "memories")).toMatchObject([{ fate: "kept" }])
    expect(without.messages.at(-1)?.content).toContain("the hook's")
  })

  test("an item of which nothing visible is left is listed", () => {
    const stack = new PromptStack([{ key: "hidden", content: "\u202e\u{e0041}", trust: "tool" }])
    for (const where of turnPrompts) {
      const { decisions, sanitised, messages } = assemble(stack, { ...where, turn: turnState("?") })
      expect(decisions.find(({ key }) => key === "hidden")).toMatchObject({
        fate: "unplaced",
        reason: "nothing visible was left of it",
      })
      expect(sanitised).toEqual([{ key: "hidden", removed: 2, kinds: ["bidi", "tags"] }])
      expect(JSON.stringify(messages)).not.toContain("hidden")
    }
  })

  test("a list in the rest slot prints through the file of its key, else its texts a line each; prompts are no entry files", () => {
    const entries = [{ speaker: "Ann", text: { text: "hi", trust: "user" as const } }, { text: "bye" }]
    const chat = (key: string) =>
      assemble(new PromptStack([{ key, content: entries }]), { dialect: "stack", prompt: "chat" }).messages[0]?.content
    expect(chat("heard")).toBe("## heard\nAnn\nhi\nbye")
    expect(chat("memories")).toBe("## character.memories\nAnn:\nhi\nbye")
    expect(chat("planner")).toBe("## planner\nAnn\nhi\nbye")
  })

  test("S8 developer items have a message of their own where the model has the role, else stand among the system's", () => {
    const stack = new PromptStack([
      { key: "a", content: "1", priority: 10 },
      { key: "b", content: "2", priority: 20, role: "developer" },
      { key: "c", content: "3", priority: 30 },
    ])
    const messages = (developer: boolean) => assemble(stack, { dialect: "stack", prompt: "chat", roles: { developer } }).messages
    expect(messages(true)).toEqual([
      { role: "system", content: "## a\n1\n\n## c\n3" },
      { role: "developer", content: "## b\n2" },
    ])
    expect(messages(false)).toEqual([{ role: "system", content: "## a\n1\n\n## b\n2\n\n## c\n3" }])
  })

  test("S8 a developer message of a prompt file folds into the system message where the model has no such role", () => {
    const files = ["${role(system)}\n${rest}\n${messages(history)}\n${role(developer)}\nBe brief.", "${text}"]
    const dialect = compileDialect({
      name: "own",
      locale: "en",
      files: files.map((body, index) => ({
        path: `own/en/${index === 0 ? "chat" : "history"}.md`,
        attributes: {},
        body,
        firstLine: 1,
      })),
    })
    const chat = (developerRole: boolean, ...injections: Injection[]) =>
      assembleInjections(injections, { dialect, prompt: "chat", developerRole }).messages
    expect(chat(true, item("a", "x"))).toEqual([
      { role: "system", content: "x" },
      { role: "developer", content: "Be brief." },
    ])
    expect(chat(false, item("a", "x"))).toEqual([{ role: "system", content: "x\n\nBe brief." }])
    expect(chat(false, item("a", "x"), item("history", [{ text: "hi" }])).at(-1)).toEqual({
      role: "system",
      content: "Be brief.",
    })
  })
})

const turnKeys = ["question", "history", "memories", "prestart", "tools", "runs", "steps", "note", "fault"]
