import { describe, expect, test } from "vitest"
import { createDecisionReader, readDecision } from "../../src/reply/decision-reader.ts"
import { readPieces } from "./readings.ts"

const yes = '{"action":"finish","message":"yes"}'
const no = '{"action":"tool","tool":"no","args":{}}'

describe("thinking in planner output", () => {
  test.each([
    { name: "a closed thought with a decision in it", text: `<think>maybe ${no}</think>${yes}`, thinking: `maybe ${no}` },
    { name: "a thought with braces and quotes left open", text: `<think>{"a": "</think>\n${yes}`, thinking: '{"a": "' },
    {
      name: "all before an orphan closing tag, a call included",
      text: `he asks ${no} </think>${yes}`,
      thinking: `he asks ${no} `,
    },
    {
      name: "an object left open before an orphan closing tag",
      text: `like {"action": and so on</think>${yes}`,
      thinking: 'like {"action": and so on',
    },
    {
      name: "a brace with a name left open before an orphan closing tag",
      text: `like {action: x</think>${yes}`,
      thinking: "like {action: x",
    },
    { name: "thoughts after each other, of both names", text: `<think>a</think> <THINKING>b</THINKING>${yes}`, thinking: "ab" },
    {
      name: "a fence left open in a thought",
      text: `<think>\n\`\`\`json\n${no}</think>\n\`\`\`json\n${yes}\n\`\`\``,
      thinking: `\n\`\`\`json\n${no}`,
    },
  ])("T22: $name is thinking, an event of its own (T24)", ({ text, thinking }) => {
    for (const pieces of [[text], [...text]]) {
      expect(readPieces(pieces)).toMatchObject({ message: "yes", thinking, decision: { status: "complete" } })
    }
  })

  test("T22: inside the decision's object tags are words", () => {
    const text = '{"x":"<think>","action":"finish","message":"use <think>a</think>, </think>"}'
    for (const pieces of [[text], [...text]])
      expect(readPieces(pieces)).toMatchObject({ message: "use <think>a</think>, </think>", thinking: "" })
    expect(readDecision('{"action":"tool","tool":"t","args":{"a":"</think>"}}')).toMatchObject({ args: { a: "</think>" } })
  })

  test("T22: words in a fence before the decision are left alone", () => {
    const text = `\`\`\`\n<think>\n\`\`\`\n${yes}`
    expect(readPieces([...text])).toMatchObject({ message: "yes", thinking: "" })
  })

  test("T22: a decision in a thought behind one backtick is not carried out", () => {
    const text = `Say \` <think>maybe ${no}</think> so. ${yes}`
    for (const pieces of [[text], [...text]])
      expect(readPieces(pieces)).toMatchObject({ message: "yes", thinking: `maybe ${no}`, decision: { action: "finish" } })
  })

  test.each([
    { before: "`a", action: "finish" },
    { before: "{a: `", action: "unreadable" },
  ])("T22: a decision right behind the empty line that ends $before as code is in the thought", ({ before, action }) => {
    const text = `${before} <think>\n\n${no}`
    for (const pieces of [[text], [...text]])
      expect(readPieces(pieces)).toMatchObject({ thinking: `\n\n${no}`, decision: { action, status: "truncated" } })
  })

  test("T22: a decision after a tag in backticks counts", () => {
    const text = `Say \`<think>\`. ${yes}`
    for (const pieces of [[text], [...text]]) expect(readPieces(pieces)).toMatchObject({ message: "yes", thinking: "" })
  })

  test("T22: tells of a closed thought within a line of an answer in prose", () => {
    const within = (text: string) => readPieces([text]).events.at(-1)
    expect(within("a <think>b</think> c")).toMatchObject({ thinkingFault: "within-line", decision: { message: "a  c" } })
    expect(within("<think>b</think> c")).not.toHaveProperty("thinkingFault", "within-line")
    expect(within(`a <think>b</think> c ${yes}`)).not.toHaveProperty("thinkingFault", "within-line")
  })

  test("T22: what stands after a shown decision changes nothing", () => {
    expect(readPieces([`${yes}</think>${no}`])).toMatchObject({ message: "yes", thinking: "", decision: { status: "complete" } })
  })

  test("T22: a model declared to open in thought is read so from its first character", () => {
    const make = () => createDecisionReader({ opensInThought: true })
    expect(readPieces([...`maybe ${yes.replace("yes", "no")}</think>${yes}`], make)).toMatchObject({ message: "yes" })
    expect(readPieces([...yes], make)).toMatchObject({ message: "", decision: { fault: { kind: "empty" }, status: "truncated" } })
  })

  test("T24: thinking arrives as it is written", () => {
    const reader = createDecisionReader()
    expect(reader.push("<think>a")).toEqual([{ type: "thinking-delta", delta: "a" }])
    expect(reader.push("b</th")).toEqual([{ type: "thinking-delta", delta: "b" }])
    expect(reader.push(`ink>${yes.slice(0, -4)}`)).toEqual([{ type: "message-delta", delta: "y" }])
  })
})
