import fc from "fast-check"
import { expect, test } from "vitest"
import { type ChatMember, printMentions, readMentions } from "../../../src/apps/bots/mentions.ts"
import { runs, seedOf } from "../../support/size.ts"

const members: readonly ChatMember[] = [
  { id: "1", name: "Alice" },
  { id: "2", name: "Alice Smith" },
  { id: "3", name: "小明" },
  { id: "4", name: "Twin" },
  { id: "5", name: "Twin" },
  { id: "6", name: "a.*b" },
]
const pattern = /<@!?(\d+)>/g
const print = ({ id }: ChatMember) => `<@${id}>`

test("marks of the platform become names, those of strangers stay", () => {
  expect(readMentions("<@1> and <@!3>, not <@99>", members, pattern)).toEqual({
    text: "@Alice and @小明, not <@99>",
    ids: ["1", "3"],
  })
})

test.each([
  ["hi @Alice!", "hi <@1>!"],
  ["@Alice Smith and @Alice", "<@2> and <@1>"],
  ["@小明你好", "<@3>你好"],
  ["mail me@Alice.com, or @Alice.com", "mail me@Alice.com, or @Alice.com"],
  ["@Alicette", "@Alicette"],
  ["@Twin who?", "@Twin who?"],
  ["@a.*b and @axxb", "<@6> and @axxb"],
  ["@@Alice", "@<@1>"],
  ["nobody @", "nobody @"],
])("%j is printed as %j", (text, printed) => {
  expect(printMentions(text, members, print)).toBe(printed)
})

test("reading is the inverse of printing for names that one person has", () => {
  const words = fc.constantFrom("@Alice", "@Alice Smith", "@小明", "@", "a", " ", "你", ".", "_", "@Twin", "7")
  const texts = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(""))
  fc.assert(
    fc.property(texts, (text) => {
      expect(readMentions(printMentions(text, members, print), members, pattern).text).toBe(text)
    }),
    { numRuns: runs(2_000), seed: seedOf(84) },
  )
})
