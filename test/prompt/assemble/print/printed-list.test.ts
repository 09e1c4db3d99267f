import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { Injection } from "../../../../src/core/value.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../../src/prompt/assemble/assembler.ts"
import { DraftRecorder } from "../../../../src/prompt/assemble/draft/draft-recorder.ts"
import { longList, printList } from "../../../../src/prompt/assemble/print/print-list.ts"
import { compileDialect } from "../../../../src/prompt/dialect/compile-dialect.ts"
import { promptFile } from "../../../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../../../src/prompt/dialect/shipped.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import type { SlotNode } from "../../../../src/prompt/template/ast.ts"
import { FrameWriter } from "../../../../src/prompt/template/frame-writer.ts"

/** A change of a stack between two requests. */
const edit = fc.oneof(
  fc.record({ type: fc.constant("set" as const), at: fc.nat(9), words: fc.nat(4), priority: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ type: fc.constant("remove" as const), at: fc.nat(9) }),
)

type Edit = typeof edit extends fc.Arbitrary<infer Made> ? Made : never

function apply(stack: PromptStack, one: Edit): void {
  const key = `item_${one.at}`
  if (one.type === "remove") stack.remove(key)
  // Of a control character nothing is left to see.
  else stack.add(key, one.words === 0 ? "\u0001" : `Item ${"word ".repeat(one.words)}`, { priority: one.priority, trust: "user" })
}

/** Items that make a list so long that it is remembered. */
const filling = Array.from({ length: longList }, (_, at) => ({
  key: `kept_${at}`,
  content: `Kept ${at}`,
  priority: 1 + (at % 2),
}))

const itemOf = (key: string): Injection => ({
  key,
  content: key,
  trust: "author",
  priority: 1,
  role: "system",
  scope: "turn",
  enabled: true,
})

describe("what the rest slot printed before", () => {
  test("S5 S12 is put again as it would be printed anew, whatever was added, replaced, moved and removed", () => {
    const dialect = fc.constantFrom("layered", "stack", "stack-cached", "fay", "soul", "root")
    fc.assert(
      fc.property(
        dialect,
        fc.array(fc.array(edit, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 6 }),
        (name, turns) => {
          const stack = new PromptStack(filling)
          const assembler = createAssembler()
          const made = turns.map((edits) => {
            for (const one of edits) apply(stack, one)
            return {
              assembly: assemble(stack, { dialect: name, prompt: "chat", assembler }),
              items: stack.items().map((item) => ({ ...item })),
            }
          })
          for (const { assembly, items } of made) {
            expect(assembly).toEqual(assemble(new PromptStack(items), { dialect: name, prompt: "chat" }))
          }
        },
      ),
    )
  })

  test("is parted as its file says, also where some of it is put again and some is new", () => {
    const dialect = compileDialect({
      name: "mine",
      locale: "en",
      files: [
        { path: "mine/en/chat.md", attributes: {}, body: "${role(user)}\n${rest}", firstLine: 1 },
        { path: "mine/en/rest.md", attributes: { separator: "comma" }, body: "${content}", firstLine: 1 },
      ],
    })
    const stack = new PromptStack(["one", "two", "three", "four"].map((key) => ({ key, content: key, priority: 3 })))
    for (const item of filling) stack.add(item)
    const assembler = createAssembler()
    const line = () => {
      const [message] = assemble(stack, { dialect, prompt: "chat", assembler }).messages
      return message?.content.split(`, ${filling.at(-1)?.content}, `)[1]
    }
    expect(line()).toBe("one, two, three, four")
    stack.add("three", "3", { priority: 3 })
    expect(line()).toBe("one, two, 3, four")
    stack.remove("two")
    stack.add("five", "5", { priority: 3 })
    expect(line()).toBe("one, 3, four, 5")
  })

  test("says of an item that prints nothing what it said before, also where it is put again", () => {
    const dialect = compileDialect({
      name: "mine",
      locale: "en",
      files: [
        { path: "mine/en/chat.md", attributes: {}, body: "${role(user)}\n${rest}", firstLine: 1 },
        { path: "mine/en/rest.md", attributes: { optional: ["hidden"] }, body: "${hidden? : ${content}}", firstLine: 1 },
      ],
    })
    const stack = new PromptStack(["one", "two", "hidden", "three", "four"].map((key) => ({ key, content: key, priority: 0 })))
    for (const item of filling) stack.add(item)
    const assembler = createAssembler()
    const fates = () => {
      const { decisions, messages } = assemble(stack, { dialect, prompt: "chat", assembler })
      return [
        messages[0]?.content.replaceAll("\n", " ").split(" Kept")[0],
        decisions.filter(({ fate }) => fate !== "kept").map(({ key }) => key),
      ]
    }
    expect(fates()).toEqual(["one two three four", ["hidden"]])
    stack.add("four", "4", { priority: 0 })
    expect(fates()).toEqual(["one two three 4", ["hidden"]])
    stack.add("two", "2", { priority: 0 })
    expect(fates()).toEqual(["one 2 three 4", ["hidden"]])
    stack.remove("one")
    expect(fates()).toEqual(["2 three 4", ["hidden"]])
  })

  test("prints one of a thousand items where one has changed, beside the first, whichever it is", () => {
    const items = Array.from({ length: 1000 }, (_, at) => itemOf(`item_${at}`))
    const node: SlotNode = { type: "slot", name: "rest", alone: true, source: { file: "mine/en/chat.md", line: 1, column: 1 } }
    const dialect = { ...shippedDialect("layered", "en") }
    const context = { dialect, file: promptFile(dialect, "rest"), key: "", stability: "global" } as const
    const memo = new Memo()
    const printedOf = (list: readonly Injection[]) => {
      const recorder = new DraftRecorder()
      recorder.startMessage("user")
      const writer = new FrameWriter(recorder.frame)
      const printed: string[] = []
      const print = ({ key }: Injection) => {
        printed.push(key)
        writer.beforeContent(node.source)
        const around = recorder.enter({ key, stability: "turn" })
        recorder.put({ text: key, part: "content", trust: "author" })
        recorder.origin = around
        return true
      }
      printList(list, { node, context, memo, writer, recorder, print })
      return printed
    }
    expect(printedOf(items)).toHaveLength(1000)
    for (const changed of [1, 500, 999]) {
      expect(printedOf(items.with(changed, itemOf("new")))).toEqual(["item_0", "new"])
      expect(printedOf(items)).toEqual(["item_0", `item_${changed}`])
    }
    // What a budget leaves of the list, and the whole list again.
    for (const some of [items.toSpliced(500, 300), items.filter((_, at) => at % 3 > 0)]) {
      expect(printedOf(some)).toEqual([some[0]?.key])
      expect(printedOf(items)).toEqual(["item_0"])
    }
  })

  test("S5 the first item keeps the prompt file's own white space before it, also one that stood further down", () => {
    const stack = new PromptStack([
      { key: "first", content: "One.", priority: 0 },
      { key: "second", content: "Two.", priority: 0 },
      { key: "third", content: "Three.", priority: 0 },
      ...filling,
    ])
    const assembler = createAssembler()
    assemble(stack, { prompt: "chat", assembler })
    stack.remove("first")
    const { messages } = assemble(stack, { prompt: "chat", assembler })
    const [shown] = messages
      .map(({ content }) => content)
      .join("|")
      .split("\n\n[context: kept_")
    expect(shown).toBe("[context: second]\nTwo.\n[/context]\n\n[context: third]\nThree.\n[/context]")
  })
})
