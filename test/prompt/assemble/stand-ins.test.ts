import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Injection, SlotEntry } from "../../../src/core/value.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import { standIns } from "../../../src/prompt/assemble/assembly-memo.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"

const injection = fc.record({
  key: fc.constantFrom("k1", "k2", "k3", "k4"),
  content: fc.oneof(
    fc.constantFrom("a", "b"),
    fc.array(fc.record({ text: fc.constantFrom("one", "two") }), { minLength: 1, maxLength: 3 }),
  ),
  trust: fc.constantFrom("author" as const, "user" as const),
  priority: fc.constantFrom(1, 2),
  role: fc.constant("system" as const),
  scope: fc.constant("turn" as const),
  enabled: fc.constant(true),
})

const base = { key: "events", trust: "user", priority: 1, role: "system", scope: "turn", enabled: true } as const

describe("what stands for injections", () => {
  test("is equal to them; where the request before had an equal one of that key, it is that very one", () => {
    const list = fc.uniqueArray(injection, { maxLength: 4, selector: ({ key }) => key })
    fc.assert(
      fc.property(list, list, (before, given) => {
        const first = standIns(before, [])
        const second = standIns(structuredClone(given) as Injection[], first)
        expect(second).toEqual(given)
        for (const one of second) {
          const known = first.find(({ key }) => key === one.key)
          const isEqual = JSON.stringify(known) === JSON.stringify(one)
          expect(known === one).toBe(isEqual)
        }
      }),
    )
  })

  test("entries of a list that changed are the ones of the request before where they are equal, wherever they stood", () => {
    const listOf = (...texts: string[]) => ({
      ...base,
      content: texts.map((text): SlotEntry => ({ text: { text, trust: "user" } })),
    })
    const entriesOf = (list: readonly Injection[]) => list[0]?.content as readonly SlotEntry[]
    const first = standIns([listOf("one", "two", "three")], [])
    const second = standIns([listOf("two", "three", "four")], first)
    expect(second).toEqual([listOf("two", "three", "four")])
    expect(entriesOf(second).map((entry) => entriesOf(first).indexOf(entry))).toEqual([1, 2, -1])
  })

  test("S12 a list of the rest slot that an application adds to in place is seen to have changed", () => {
    const facts: SlotEntry[] = [{ text: "one" }]
    const stack = new PromptStack([{ key: "facts", content: facts }])
    const assembler = createAssembler()
    const shown = () => assemble(stack, { prompt: "chat", assembler }).messages.map((message) => message.content)
    expect(shown()).toEqual(["[context: facts]\none\n[/context]"])
    facts.push({ text: "two" })
    expect(shown()).toEqual(["[context: facts]\none\ntwo\n[/context]"])
    facts.shift()
    expect(shown()).toEqual(["[context: facts]\ntwo\n[/context]"])
  })
})
