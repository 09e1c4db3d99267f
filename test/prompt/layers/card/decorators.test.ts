import { expect, test } from "vitest"
import { readDecorators } from "../../../../src/prompt/layers/card/decorators.ts"

const names = [
  ...["activate", "activate_only_after", "activate_only_every", "keep_activate_after_match", "dont_activate_after_match"],
  ...["dont_activate", "depth", "reverse_depth", "role", "scan_depth", "is_greeting", "position", "ignore_on_max_context"],
  ...["additional_keys", "exclude_keys", "is_user_icon", "instruct_depth", "Activate", "constructor"],
]
const values = [
  "",
  "0",
  "1",
  "-2",
  "1234567890",
  "0.5",
  "x",
  "a, b,,",
  "after_desc",
  "before_desc",
  "personality",
  "scenario",
  "user",
  "assistant",
]

/** What is read of a text, as JSON without absent members. */
const read = (text: string): string => JSON.stringify(readDecorators(text))

test("every decorator with every kind of value", () => {
  const lines = names.flatMap((name) => {
    const byResult = new Map<string, string[]>()
    for (const value of values) {
      const found = read(`@@${name} ${value}\ntext`)
      byResult.set(found, [...(byResult.get(found) ?? []), JSON.stringify(value)])
    }
    return [...byResult].map(([found, given]) => `${name} ${given.join(" ")} → ${found}`)
  })
  expect(lines.join("\n")).toMatchSnapshot()
})

test("several decorators, fallbacks, and texts around them", () => {
  const texts = [
    "no decorator",
    " \n@@activate\n\n text \n",
    "@@activate",
    "@@activate\ntext\n@@depth 3",
    "text\n@@depth 3",
    "@@depth 1\n@@depth 2\ntext",
    "@@reverse_depth 1\n@@depth 2\n@@role user\ntext",
    "@@reverse_depth 3\n@@role assistant\ntext",
    "@@position scenario\n@@depth 2\ntext",
    "@@odd\n@@@depth 2\ntext",
    "@@depth x\n@@@depth y\n@@@depth 4\ntext",
    "@@depth 1\n@@@scan_depth 4\ntext",
    "@@@depth 4\ntext",
    "@@additional_keys a,b\n@@additional_keys c\n@@exclude_keys d\n@@exclude_keys e, f\ntext",
    "@@ depth 1\ntext",
    "@@depth\t2\ntext",
    "@@depth2\ntext",
    "@@activate @@depth 2\ntext",
  ]
  expect(texts.map((text) => `${JSON.stringify(text)} → ${read(text)}`).join("\n")).toMatchSnapshot()
})
