import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createThinkingReader, type ReplyPart, stripThinking } from "../../src/reply/thinking.ts"
import { runs, seedOf } from "../support/size.ts"
import { cutAt, everyCutting } from "./readings.ts"

type Options = Parameters<typeof createThinkingReader>[0]

function read(pieces: readonly string[], options: Options): { text: string; thinking: string } {
  const reader = createThinkingReader(options)
  const parts = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  const joined = (type: ReplyPart["type"]) => parts.map((part) => (part.type === type ? part.delta : "")).join("")
  return { text: joined("text"), thinking: joined("thinking") }
}

const cases: readonly { name: string; text: string; whole: string; streamed?: string; thinking?: string }[] = [
  { name: "removes a closed pair", text: "<think>a</think>b", whole: "b", thinking: "a" },
  { name: "removes every pair", text: "1<think>a</think>2<think>b</think>3", whole: "123", thinking: "ab" },
  { name: "drops an unclosed one to the end", text: "a\n<think>b {}", whole: "a\n", thinking: "b {}" },
  {
    name: "drops all before an orphan in a whole text, and the tag alone in a stream",
    text: "a</think>b",
    whole: "b",
    streamed: "ab",
  },
  { name: "drops all before the last orphan", text: "a</think>b</think>c", whole: "c", streamed: "abc" },
  { name: "knows <thought> of Gemini", text: "<thought>a</thought>b", whole: "b", thinking: "a" },
  { name: "knows <thinking>", text: "<thinking>a</thinking>b", whole: "b", thinking: "a" },
  { name: "knows every case", text: "<THINK>a</Think>b<tHiNkInG>c</THINKING>", whole: "b", thinking: "ac" },
  { name: "ends a thought at its first closing tag, of either name", text: "<think>a</thinking>b", whole: "b", thinking: "a" },
  {
    name: "takes an opening tag inside a thought for words",
    text: "<think>a <thinking> b</think>c",
    whole: "c",
    thinking: "a <thinking> b",
  },
  { name: "leaves a nested pair's end an orphan", text: "<think>a<think>b</think>c</think>d", whole: "d", streamed: "cd" },
  {
    name: "keeps a tag within a thought within a line",
    text: "1 <think>a <think>b</think>2",
    whole: "1 2",
    thinking: "a <think>b",
  },
  { name: "leaves words in a fence alone", text: "```\n<think>a\n```\nb", whole: "```\n<think>a\n```\nb" },
  {
    name: "leaves words in a fence of tildes alone",
    text: "~~~~xml\n</think>\n~~~\n</think>\n~~~~\nb",
    whole: "~~~~xml\n</think>\n~~~\n</think>\n~~~~\nb",
  },
  { name: "reads on after a fence", text: "```\na\n``` \n<think>b</think>c", whole: "```\na\n``` \nc", thinking: "b" },
  { name: "takes inline code for no fence", text: "```a``` <think>b</think>c", whole: "```a``` c", thinking: "b" },
  { name: "takes backticks inside a line for no fence", text: "a ```\n<think>b</think>c", whole: "a ```\nc", thinking: "b" },
  {
    name: "takes backticks after what was nearly a tag for no fence",
    text: "<```\n<think>b</think>c",
    whole: "<```\nc",
    thinking: "b",
  },
  { name: "takes a backtick without another one for no code", text: "a ` <think>b</think> c", whole: "a `  c", thinking: "b" },
  {
    name: "closes code with as many backticks as opened it only",
    text: "a `` <think>b ` c</think> ``` d",
    whole: "a ``  ``` d",
    thinking: "b ` c",
  },
  { name: "leaves a tag in backticks alone", text: "a `<think>` b `</think>` c", whole: "a `<think>` b `</think>` c" },
  { name: "leaves a pair in backticks alone", text: "a `<think>b</think>` c", whole: "a `<think>b</think>` c" },
  {
    name: "leaves a pair in code of two lines alone",
    text: "a `<think>b\nc</think>` <think>d</think>e",
    whole: "a `<think>b\nc</think>` e",
    thinking: "d",
  },
  {
    name: "looks for the end of code in the paragraph only",
    text: "a ` <think>b</think> c\n \nd `",
    whole: "a `  c\n \nd `",
    thinking: "b",
  },
  {
    name: "looks for the end of code before the next fence only",
    text: "a ` <think>b</think>\n```\n`<think>`\n```\nc",
    whole: "a ` \n```\n`<think>`\n```\nc",
    thinking: "b",
  },
  {
    name: "looks for the end of code before a thought of its own line only",
    text: "a ` <think>b</think>\n<think>c `</think>d",
    whole: "a ` \nd",
    thinking: "bc `",
  },
  {
    name: "finds code after a backtick that opens none",
    text: "a ` `` <think>b</think> `` <think>c</think> d",
    whole: "a ` `` <think>b</think> ``  d",
    thinking: "c",
  },
  { name: "ends a thought in a line after code in it", text: "a <think>b `c`</think> d", whole: "a  d", thinking: "b `c`" },
  {
    name: "ends a thought in a line after a backtick in it",
    text: "a <think>b ` c</think> d",
    whole: "a  d",
    thinking: "b ` c",
  },
  {
    name: "leaves a tag in backticks in a thought in a line alone",
    text: "a <think>b `</think>` c</think> d",
    whole: "a  d",
    thinking: "b `</think>` c",
  },
  {
    name: "takes a thought out behind backticks that nothing closes, whatever stood in code before",
    text: "`a ```b` c `` d <think>x</think> e ``` f",
    whole: "`a ```b` c `` d  e ``` f",
    thinking: "x",
  },
  ...["think", "thinking", "thought"].map((tag) => ({
    name: `ends what may be code before a line that begins with <${tag}>`,
    text: `Use \`<think>\n<${tag}>a</${tag}>\n\` b`,
    whole: "Use `<think>\n\n` b",
    thinking: "a",
  })),
  { name: "takes an orphan after one backtick out", text: "a ` </think>b", whole: "b", streamed: "a ` b" },
  { name: "lets no fence inside a thought swallow the answer", text: "<think>\n```js\n</think>b", whole: "b" },
  {
    name: "keeps every other <",
    text: "<a> <thin <thinks> </think <\n<think> <>",
    whole: "<a> <thin <thinks> </think <\n",
    thinking: " <>",
  },
  { name: "keeps the beginning of a tag at the end", text: "a</thinkin", whole: "a</thinkin" },
  { name: "keeps letters that only fold to the tag's", text: "<thin\u212A>a", whole: "<thin\u212A>a" },
]

describe("thinking", () => {
  test.each(cases)("T22 $name", ({ text, whole, streamed, thinking }) => {
    expect(stripThinking(text)).toBe(whole)
    const stream = read([text], { orphan: "remove-tag" })
    expect(stream.text).toBe(streamed ?? whole)
    if (thinking !== undefined) expect(stream.thinking).toBe(thinking)
  })

  test.each(cases)("T22 $name, however it is cut", ({ text }) => {
    for (const options of [
      { orphan: "remove-tag" },
      { orphan: "drop-before" },
      { orphan: "remove-tag", opensInThought: true },
    ] as const) {
      const whole = read([text], options)
      for (const cuts of [...everyCutting(text, 1), ...everyCutting(text, 2)])
        expect(read(cutAt(text, cuts), options)).toEqual(whole)
    }
  })

  test("T22: a tag that is one of a thought's words is yielded with its last character", () => {
    const reader = createThinkingReader({ orphan: "remove-tag" })
    expect(reader.push("<think>a <think>")).toEqual([{ type: "thinking", delta: "a <think>" }])
    expect(reader.push("b")).toEqual([{ type: "thinking", delta: "b" }])
  })

  test("T22: a model declared to open in thought needs no opening tag, and may write one", () => {
    const options = { orphan: "remove-tag", opensInThought: true } as const
    expect(read(["a</think>b"], options)).toEqual({ text: "b", thinking: "a" })
    expect(read(["\n<think>a</think>b"], options)).toEqual({ text: "b", thinking: "\na" })
    expect(read(["a <think> b</think>c"], options)).toEqual({ text: "c", thinking: "a <think> b" })
    expect(read(["a</think>b</think>c"], options).text).toBe("bc")
    expect(stripThinking("a", { opensInThought: true })).toBe("")
  })

  test("T22: what an orphan drops from a whole text is thinking, not lost", () => {
    expect(read(["a<think>b</think>c", "</think>d"], { orphan: "drop-before" })).toEqual({ text: "d", thinking: "bac" })
  })

  test("T22: text without a tag is untouched, and no more than a partial tag is held back", () => {
    const pieces = fc.constantFrom("<", "/", "think", "thinking", " ", "```", "\n", "a", ">", "好", "<think", "</think")
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join("")
        fc.pre(!/<\/?think(ing)?>/.test(text))
        expect(stripThinking(text)).toBe(text)
        const reader = createThinkingReader({ orphan: "remove-tag" })
        let shown = ""
        for (const [index, character] of [...text].entries()) {
          for (const part of reader.push(character)) shown += part.delta
          expect(index + 1 - shown.length).toBeLessThanOrEqual("</thinking".length)
        }
        for (const part of reader.end()) shown += part.delta
        expect(shown).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  test("T22: a pair within one paragraph is words just where CommonMark sees it in code", () => {
    const pieces = ["`", "``", "```", "a", " ", "b c"]
    const line = fc.array(fc.constantFrom(...pieces), { maxLength: 12 })
    const lines = fc.array(fc.constantFrom(...pieces, "\n"), { maxLength: 12 })
    fc.assert(
      fc.property(line, lines, (before, after) => {
        const [lead, tail] = [`x${before.join("")}y`, `z${after.join("")}`]
        fc.pre(!/\n\s*(\n|```)/.test(tail))
        const text = `${lead}<think>secret</think>${tail}`
        expect(read([text], { orphan: "remove-tag" }).text).toBe(isInCode(lead, tail) ? text : lead + tail)
        for (const cuts of everyCutting(text, 1))
          expect(read(cutAt(text, cuts), { orphan: "remove-tag" })).toEqual(read([text], { orphan: "remove-tag" }))
      }),
      { numRuns: runs(300), seed: seedOf(22) },
    )
  })
})

/** True if the end of `lead` is inside a code span of the paragraph `lead` + `tail`, by CommonMark's rule. */
function isInCode(lead: string, tail: string): boolean {
  const all = [...`${lead} ${tail}`.matchAll(/`+/g)]
  for (let index = 0; index < all.length; index++) {
    const [run] = all[index] ?? [""]
    const closer = all.findIndex(([other], at) => at > index && other === run)
    if (closer < 0) continue
    const from = all[index]?.index ?? 0
    const to = all[closer]?.index ?? 0
    if (from < lead.length && to > lead.length) return true
    index = closer
  }
  return false
}

/** What T22 says of texts of tags, letters and line breaks without code that begin in a thought; undefined if one begins within a line. */
function plainlyRead(pieces: readonly string[]): { text: string; thinking: string } | undefined {
  const read = { text: "", thinking: "" }
  let inThought = true
  // Nothing but blanks came yet: an opening tag of the model itself is none of its words.
  let isFresh = true
  for (const piece of pieces) {
    const [opens, closes] = [/^<think/i.test(piece), /^<.think/i.test(piece)]
    if (inThought && closes) inThought = false
    else if (inThought && !(opens && isFresh)) read.thinking += piece
    else if (!inThought && opens) {
      if (!/(?:^|\n)$/.test(read.text)) return undefined
      inThought = true
    } else if (!inThought && !closes) read.text += piece
    if (piece.trim() !== "") isFresh = false
  }
  return read
}

test("T22 a thought that was declared open begins once: only the first tag, behind blanks, is taken for its opening", () => {
  const pieces = ["<think>", "<Thinking>", "</think>", "</thinking>", "a", "\n", " "]
  const every = (count: number): string[][] =>
    count === 0 ? [[]] : every(count - 1).flatMap((before) => pieces.map((piece) => [...before, piece]))
  let known = 0
  for (const given of every(5)) {
    const plain = plainlyRead(given)
    if (plain === undefined) continue
    known += 1
    expect(read([given.join("")], { orphan: "remove-tag", opensInThought: true }), given.join("")).toEqual(plain)
  }
  expect(known).toBeGreaterThan(10_000)
})
