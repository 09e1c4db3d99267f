import { afterEach, describe, expect, test } from "vitest"
import type { Injection, SlotEntry } from "../../../src/core/value.ts"
import { assemble, assembleInjections } from "../../../src/prompt/assemble/assemble.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { ran, turnState } from "../../support/turns.ts"

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "valueOf"]

/** An object whose own key this is, as `JSON.parse` makes it. */
const own = <T>(name: string, value: T): Record<string, T> =>
  JSON.parse(JSON.stringify({ x: value }).replace('"x"', JSON.stringify(name)))

function item(key: string, content: Injection["content"]): Injection {
  return { key, content, trust: "author", priority: 100, role: "system", scope: "turn", enabled: true }
}

function dialectOf(files: Record<string, string>) {
  return compileDialect({
    name: "own",
    locale: "en",
    files: Object.entries(files).map(([name, body]) => ({ path: `own/en/${name}.md`, attributes: {}, body, firstLine: 1 })),
  })
}

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

describe.each(names)("the name %s", (name) => {
  test("is a key of an injection like any other", () => {
    const stack = new PromptStack([{ key: name, content: "words" }])
    const { messages, decisions } = assemble(stack, { dialect: "stack", prompt: "chat" })
    expect(messages).toEqual([{ role: "system", content: `## ${name}\nwords` }])
    expect(decisions).toMatchObject([{ key: name, fate: "kept" }])
  })

  test("is a slot and a condition like any other, empty where nobody fills it", () => {
    const dialect = dialectOf({ chat: `\${${name}? yes : no} \${${name} = none}\n\${rest}` })
    const text = (...injections: Injection[]) => assembleInjections(injections, { dialect, prompt: "chat" }).messages[0]?.content
    expect(text()).toBe("no none")
    expect(text(item(name, "words"))).toBe("yes words")
  })

  test("is a slot of an entry like any other", () => {
    const dialect = dialectOf({ chat: "${list}\n${rest}", list: `\${${name}? yes : no} \${${name} = none}` })
    const text = (entry: SlotEntry) =>
      assembleInjections([item("list", [entry])], { dialect, prompt: "chat" }).messages[0]?.content
    expect(text({ other: "x" })).toBe("no none")
    expect(text(own(name, "words"))).toBe("yes words")
    expect(text(own(name, { text: "w\u202e", trust: "user" as const }))).toBe("yes w")
  })

  test("is a variable of a template like any other", () => {
    expect(renderTemplate(`\${${name} = none}`)).toBe("none")
    expect(renderTemplate(`\${${name}? yes : no}`)).toBe("no")
    expect(renderTemplate(`\${${name}}`, own(name, "words"))).toBe("words")
    expect(() => renderTemplate(`\${${name}}`)).toThrow(/no values were given/)
  })

  test("is an argument's and a parameter's name like any other", () => {
    const tool = defineTool({
      name: "t",
      description: "",
      jsonSchema: { type: "object", properties: own(name, { type: "string" }) },
      trust: "tool",
      execute: () => "",
    })
    const turn = turnState("?", { runs: [ran("t", own(name, { polluted: true }), "ok")], tools: [tool] })
    const content = assemble(new PromptStack(), { dialect: "fay", turn }).messages.at(-1)?.content
    const shown = name.startsWith("_") ? JSON.stringify(name) : name
    expect(content).toContain(`t(${shown}={"polluted":true}) → ok`)
    expect(content).toContain(`Parameters: ${shown} (string, optional)`)
  })
})

test("a dialect has no file named like a method of objects", () => {
  expect(() => assemble(new PromptStack(), { dialect: "fay", prompt: "constructor" })).toThrow(/expected a file constructor\.md/)
  expect(() => assemble(new PromptStack(), { dialect: "constructor" })).toThrow(/expected the name of a dialect/)
})
