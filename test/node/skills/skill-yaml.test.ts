import { describe, expect, test } from "vitest"
import { readYamlMapping } from "../../../src/node/front-matter.ts"
import { isSyntaxFault, recoverYaml } from "../../../src/node/skills/read-skill.ts"

/** The mapping that a YAML reader reads, or its error. */
function yamlOf(yaml: string): unknown {
  try {
    return readYamlMapping(yaml, { file: "f", whole: yaml, offset: 0 })
  } catch (error) {
    return error
  }
}

const recover = (yaml: string) => recoverYaml(yaml, { file: "f", whole: yaml, offset: 0 })

describe("recoverYaml", () => {
  test.each<[string, string, unknown]>([
    ["a colon", "description: Use when: a, b", "Use when: a, b"],
    ["a colon on the next line", "description: Use it\n  when: a\n  or b", "Use it when: a or b"],
    ["quotes in quotes", 'description: "say "hi" now"', 'say "hi" now'],
    ["an apostrophe in quotes", "description: 'It's here'", "It's here"],
    ["a list and more", "description: [url] (optional)", "[url] (optional)"],
    ["what looks like an alias", "description: **bold** words", "**bold** words"],
    ["a character of YAML's own", "description: @mention first", "@mention first"],
    ["a backtick", "description: `code` first", "`code` first"],
    ["indented by tabs", "description:\n\tauthor: me\n\tversion: 2", { author: "me", version: "2" }],
    ["a list by tabs", "description:\n\t- Read\n\t- 'Write'", ["Read", "Write"]],
    ["a block with tabs", "description: |\n\tone\n\ttwo: three", "one\ntwo: three"],
    ["a folded block with tabs", "description: >-\n\tone\n\ttwo: three", "one two: three"],
    ["a colon in a map", "description:\n  author: a: b\n  note: c", { author: "a: b", note: "c" }],
  ])("reads %s as it was meant", (_name, yaml, value) => {
    expect(isSyntaxFault(yamlOf(yaml))).toBe(true)
    expect(recover(`name: x\n${yaml}\nlicense: MIT`)).toEqual({
      attributes: { name: "x", description: value, license: "MIT" },
      recovered: ["description"],
    })
  })

  test("keys that are valid alone keep their meaning", () => {
    expect(recover("# c\n\nname: x\ntags: [a, b]\npriority: 5\nd: a: b\nfolded: >\n  one\n  two\n")).toEqual({
      attributes: { name: "x", tags: ["a", "b"], priority: 5, d: "a: b", folded: "one two\n" },
      recovered: ["d"],
    })
  })

  test.each([
    ["no key first", "just words\na: b: c"],
    ["a key that stands twice", "a: b: c\na: d"],
    ["nothing", ""],
  ])("gives up on %s", (_name, yaml) => expect(recover(yaml)).toBeUndefined())

  test("a key that is not allowed is refused here too", () => {
    expect(() => recover("a: b: c\n__proto__: d")).toThrow(/__proto__ is not allowed/)
  })

  test.each([
    ["a key that stands twice", "a: b\na: c"],
    ["a bomb", `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(20)}]\nc: [${"*b,".repeat(20)}]`],
    ["a list", "- a"],
  ])("%s is no fault of syntax", (_name, yaml) => expect(isSyntaxFault(yamlOf(yaml))).toBe(false))
})
