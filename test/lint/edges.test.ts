import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import type { LintContext, LintFile } from "../../src/lint/rule.ts"
import { hiddenRuns } from "../../src/lint/rules/invisible-characters.ts"
import { ascendingLocator, bodyLines, columnAt, keyPosition } from "../../src/lint/text-positions.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"
import { normalizeText } from "../../src/prompt/template/scanner.ts"
import { runs } from "../support/size.ts"
import { cleanProject, inOneLine, lintProject, type ProjectFiles } from "./lint-folder.ts"

const luna = cleanProject["profiles/luna.toml"]
const profile = (more: string): ProjectFiles => ({ "profiles/luna.toml": `${luna}${more}` })

/** A persona with a body of its own lines, without a disk. */
function persona(text: string, firstLine = 1): LintFile {
  const body = normalizeText(text)
  return {
    ...{ kind: "persona", file: "p.md", path: "/p.md", text, root: "prompts", folder: "characters", name: "p" },
    ...{ shipped: false, loads: [], faults: [] },
    source: { path: "p.md", attributes: { name: "P" }, body, firstLine },
  } as const
}

const contextOf = (file: LintFile): LintContext => ({ files: [file], profiles: [], shippedNames: new Map(), traces: [] })

/** The problems of a rule in a project, each in one line. */
async function found(rule: string, files: ProjectFiles): Promise<readonly string[]> {
  const problems = await lintProject({ ...cleanProject, ...files })
  return problems.filter((problem) => problem.rule === rule).map((problem) => inOneLine(problem).replace(/^.*?:/, ""))
}

describe("a system message whose cache ends early", () => {
  const inPlanner = (lines: string) => {
    const template = parseTemplate(`${lines}\n\${role(user)}\n\${rest}\n`, { file: "p.md" })
    const planner = { ...persona(""), kind: "prompt", name: "planner", template } as const
    return lint(contextOf(planner)).flatMap((problem) => (problem.rule === "cache-order" ? [inOneLine(problem)] : []))
  }
  const told = (name: string) => [
    `p.md:2:1 warning cache-order: expected \${${name}} after what stays the same in a system message, found it before.`,
  ]

  test.each(["question", "history", "memories", "prestart", "runs", "steps", "note", "fault"])(
    "is told of ${%s} before the persona",
    (name) => expect(inPlanner(`\${role(system)}\n\${${name}}\n\${persona}`)).toEqual(told(name)),
  )

  test.each(["persona", "format", "skills", "tools", "final_system"])("is told of memories before ${%s}", (name) =>
    expect(inPlanner(`\${role(system)}\n\${memories}\n\${${name}}`)).toEqual(told("memories")),
  )

  test.each([
    ["${role(system)}\n${memories? ${memories}}\n${persona}", told("memories")],
    ["${role(system)}\n${memories}\n${a? ${persona}}", told("memories")],
    ["${role(system)}\n${memories}\n${a? b : ${persona}}", told("memories")],
    ["${role(system)}\n${memories}\n${note? ${persona}}", []],
    ["${role(system)}\n${memories}\n${question}", []],
    ["${role(system)}\n${rest}\n${persona}", []],
    ["${role(system)}\n${memories}\n${messages(history)}\n${persona}", []],
    ["${role(system)}\n${memories}\n${role(user)}\n${persona}", []],
    ["${role(user)}\n${memories}\n${persona}", []],
    ["a\n${memories}\n${persona}", []],
  ])("of %j is told %j", (lines, expected) => expect(inPlanner(lines)).toEqual(expected))
})

test.each([
  "Id 0F8FAD5B-d9cb-469f-a165-70867728950e.",
  "Id 0f8fad5b-d9cb-469f-a165-70867728950.",
  "Key 0123456789abcdef01234567",
  "Key 0123456789ABCDEF0123456",
  "Key 012345678901234567890123",
  "Today is Monday",
  "tomorrow is now a SUNDAY",
  "the current date is 5",
  "the time is nice",
  "现在是上午",
  "今天：3月",
  "此刻为九点",
  "今天是好天",
  "{{current_date}} {{ now }}",
  "{{UUID}}",
  "{{user}}",
  "built 2026-11-22",
  "😀 built 2026/1/2, 1999.3.4",
  "2026年3月4日",
  "Born 2026-11-22",
  "Version 2026-11-22",
  "生日是2026年3月4日",
  "12026-11-22",
  "2026-11-223",
  "1899-01-01",
])("of %j is told what of it changes, and where", (text) => {
  const problems = lint(contextOf(persona(text))).filter(({ rule }) => rule === "volatile-value")
  expect(problems.map(({ message, column, endColumn }) => `${column}–${endColumn} ${message}`)).toMatchSnapshot()
})

describe("every character of Unicode", () => {
  /** The hidden ones of all of them, as ranges of one kind. */
  function kinds(prefix: string, codes: readonly number[]): readonly string[] {
    const ranges: { first: number; last: number; kind: string }[] = []
    for (const code of codes) {
      const [run] = hiddenRuns(`${prefix}x${String.fromCodePoint(code)}x`)
      if (run === undefined) continue
      const kind = `${run.what}, ${run.isIdle ? "idle" : "needed"}, ${run.isSuspect ? "suspect" : "harmless"}, ${run.index}+${run.length}`
      const last = ranges.at(-1)
      if (last?.kind === kind && last.last === code - 1) last.last = code
      else ranges.push({ first: code, last: code, kind })
    }
    return ranges.map(({ first, last, kind }) => `${first.toString(16)}–${last.toString(16)} ${kind}`)
  }

  const span = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

  test("is seen or is of a kind that is told", () => {
    expect(kinds("", [...span(0, 0x3000), ...span(0xfe00, 0xffff), ...span(0xe0000, 0xe0100)])).toMatchSnapshot()
  })

  test("may turn the direction of writing beside words that run from right to left", () => {
    const turning = (prefix: string) => kinds(prefix, [0x61c, ...span(0x200e, 0x200f), ...span(0x2066, 0x2069)])
    for (const letter of ["א", "ب", "ܐ", "ހ", "ߊ"])
      expect(turning(letter).filter((range) => !range.includes("needed, harmless"))).toEqual([])
    expect(turning("字").filter((range) => !range.includes("idle, suspect"))).toEqual([])
  })

  test("stands in a flag or is told", () => {
    const tags = (text: string) =>
      [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("")
    const flag = (text: string) => hiddenRuns(`🏴${tags(text)}\u{e007f}`).map(({ index, length }) => [index, length])
    expect(["abc", "abc012", "gbsct"].map(flag)).toEqual([[], [], []])
    expect(["ab", "abc0123", "AB", "ab-"].map(flag)).toEqual([[[2, 6]], [[2, 16]], [[2, 6]], [[2, 8]]])
  })

  test("behind a byte order mark stands one further", () => {
    expect(hiddenRuns("\uFEFFa\u200b").map(({ index }) => index)).toEqual([2])
    expect(hiddenRuns("a\uFEFF").map(({ index }) => index)).toEqual([1])
  })
})

describe("a name that nothing fills", () => {
  const long = "a".repeat(100)
  const inRest = (body: string, files: ProjectFiles = {}) =>
    found("unknown-slot", { "prompts/layered/en/question.md": `\${text}${body}\n`, ...files })

  test("is an error only if one letter makes it a known one, and it has four to a hundred letters", async () => {
    expect(await inRest(" ${texx} ${tet} ${tex} ${tekst} ${textxx}")).toMatchSnapshot()
    const planner = (name: string) =>
      found("unknown-slot", {
        ...profile(`[variables]\n${long} = "x"\n`),
        "prompts/layered/en/planner.md": `\${role(user)}\n\${rest} \${${name}}\n`,
      })
    expect((await planner(`${long.slice(1)}b`))[0]).toMatch(/^2:9 error/)
    expect((await planner(long.slice(1)))[0]).toMatch(/^2:9 error/)
    expect((await planner(`${long}b`))[0]).toMatch(/^2:9 warning/)
  })

  test("as a variable is told with the one that was meant", async () => {
    const flags = `[variables]\npersna = "x"\npersnas = "x"\nmemorie = true\n`
    expect(await found("unused-variable", profile(flags))).toMatchSnapshot()
  })
})

const schemas = {
  ...{ typed: { type: "string", description: "d" }, enum: { enum: ["a"] }, const: { const: 1 }, ref: { $ref: "#/$defs/a" } },
  ...{ any: { anyOf: [{}], description: "d" }, one: { oneOf: [{}], description: "d" }, all: { allOf: [{}], description: "d" } },
  ...{ example: { type: "string", example: "e" }, examples: { type: "string", examples: ["e"] } },
  ...{ default: { type: "string", default: "e" }, format: { type: "string", format: "date" } },
  ...{ pattern: { type: "string", pattern: "a" }, blank: { type: "string", description: " " }, none: {}, true: true },
}

test("each parameter of a tool shows what it is, or is told", async () => {
  const tool = `{ name: "roll", description: "d", execute: () => 4, jsonSchema: ${JSON.stringify({ type: "object", properties: schemas })} }`
  const files = {
    ...profile('[plugins]\nenabled = ["./dice.mjs"]\n'),
    "profiles/dice.mjs": `export const plugin = { name: "dice", tools: [${tool}] }\n`,
  }
  expect(await found("tool-text", files)).toMatchSnapshot()
})

test("a tool that an MCP server may bring is told as a warning, and its group not at all", async () => {
  const tools = '[tools]\nprestart_only = ["wether"]\n[processes.a]\ngroups = ["external"]\n'
  expect((await found("unknown-tool", profile(tools))).map((line) => line.split(" ")[1])).toEqual(["error", "warning"])
  expect(await found("unknown-tool", profile(`${tools}[mcp.servers.a]\ncommand = "x"\n`))).toEqual([
    '7:18 warning unknown-tool: the profile brings no tool "wether".',
  ])
})

describe("a file that no profile uses", () => {
  const files: ProjectFiles = {
    "prompts/characters/en/sol.md": "You are Sol, kind and brief; you call the user friend.\n",
    "prompts/characters/zh-CN/luna.md": "你是露娜，性格温柔，说话简短，称呼用户为朋友。\n",
    "prompts/formats/en/face.md": "---\nparser: plain\n---\nwords\n",
    "prompts/final/en/last.md": "Words.\n",
    "prompts/skills/sewing/SKILL.md": "---\nname: sewing\ndescription: How to sew\n---\nThread.\n",
    "prompts/shared/en/persona.md": "${content}\n",
    "prompts/shared/en/foes.md": "${content}\n",
  }
  const dead = async (more: ProjectFiles) =>
    (await lintProject({ ...cleanProject, ...files, ...more }))
      .filter(({ rule }) => rule === "dead-file")
      .map(({ file, message, hint }) => `${file}: ${message} ${hint}`)

  test("is told with the key that would name it", async () => {
    expect(await dead({})).toMatchSnapshot()
  })

  test("is not told where a profile cannot be read", async () => {
    expect(await dead({ "profiles/broken.toml": "[prompt\n" })).toMatchSnapshot()
    expect(await dead({ "profiles/wrong.toml": "[prompt]\npersona = 3\n" })).toMatchSnapshot()
  })
})

test.each([
  ["tools/en/current_time", "---\ndescription: \nusage_hint: 3\nparameters: [a]\n---\n${date}\n"],
  ["tools/en/current_time", "---\ndescription: d\nusage_hint: ' '\nparameters: { a: ' ' }\n---\n${date}\n"],
  ["tools/en/current_time", "---\n'description': d\n\"usage_hint\" : h\nparameters: { a: b }\n---\n${date}\n"],
  ["characters/en/luna", "---\nname: ''\nuser: \"a\\nb\"\ncolour: 3\ncolor: x\n---\nLuna is kind, brief, calls.\n"],
  ["characters/en/luna", "---\nname: [a]\n'name2' : x\nusers: Bob\n---\nLuna is kind, brief, calls.\n"],
  ["formats/en/face", "---\nparser: 3\nemotions: [a]\nemotion: x\n---\nwords\n"],
  ["final/en/last", "---\nname: a\n---\nwords\n"],
])("the front matter of %s, with %j, is told key by key", async (path, text) => {
  expect(await found("front-matter-keys", { [`prompts/${path}.md`]: text })).toMatchSnapshot()
})

describe("positions in a text", () => {
  const text = fc
    .array(fc.constantFrom("a", "字", "😀", "\n", "\r\n", "\r", " "), { maxLength: 20 })
    .map((parts) => parts.join(""))
  const mark = fc.constantFrom("", "\uFEFF")

  test("count lines and characters as a person does", () => {
    fc.assert(
      fc.property(mark, text, (first, rest) => {
        const whole = first + rest
        const locate = ascendingLocator(whole)
        const lines = rest.split(/\r\n|\n|\r/)
        const seen = [...bodyLines(persona(whole))]
        expect(seen.map((line) => line.text)).toEqual(lines)
        expect(seen.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1))
        for (const { text: words, line, offset } of seen) {
          expect(whole.slice(offset, offset + words.length)).toBe(words)
          expect(locate(offset)).toEqual({ line, column: 1 })
          const end = offset + words.length
          expect(locate(end)).toEqual({ line, column: columnAt(words, words.length) })
          expect(columnAt(words, words.length)).toBe([...words].length + 1)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test("of a body begin below the front matter", () => {
    expect([...bodyLines(persona("---\na: b\n---\nc\nd", 4))].map((line) => line.text)).toEqual(["c", "d"])
  })

  test.each([
    ["---\na: b\nkey: c\n---\nkey: d", 5, "3:1"],
    ["---\n'key': c\n---\n", 4, "2:2"],
    ['---\n"key" : c\n---\n', 4, "2:2"],
    ["---\nkeys: c\nkey  : d\n---\n", 5, "3:1"],
    ["---\na: b\n---\nkey: d", 4, "1:1"],
    ["key: d", 1, "1:1"],
  ])("of the key of %j with its body in line %i is %s", (words, firstLine, place) => {
    const { line, column } = keyPosition(persona(words, firstLine), "key")
    expect(`${line}:${column}`).toBe(place)
  })
})
