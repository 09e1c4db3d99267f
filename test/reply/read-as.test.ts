import { describe, expect, test } from "vitest"
import type { Decision } from "../../src/reply/decision.ts"
import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import type { DecisionReaderOptions } from "../../src/reply/planner-reader.ts"
import { readPieces } from "./readings.ts"

/** Outputs as models write them, each with what sets it apart. */
const outputs: Readonly<Record<string, string>> = {
  "a message": '{"action":"finish","message":"a b"}',
  "a message with braces, escapes and breaks": '{"action": "finish", "message": "{a}\\n\\"b\\" \\u4e2d\\/ c}", "note": "n"}',
  "raw breaks and quotes in a message": '{"action":"finish","message":"a\nsaid "b", ok"}\n',
  "a call": '{"action":"tool","tool":"look","args":{"a":1,"b":[true,null,-2.5e3],"c":{"d":"x"}}}',
  "a call with a message beside it": '{"action":"tool","tool":"look","args":{},"message":"one moment"}',
  "a message with a report beside it": '{"action":"finish","message":"ok","tool":"report","args":{"x":"y"}}',
  "a message with a call that cannot be read": '{"action":"finish","message":"ok","tool":"report","args":7}',
  "words, a fence and words": 'Sure:\n```json\n{"action":"finish","message":"ok"}\n```\nDone.',
  "a thought before, and one behind": '<think>hm {"action":"tool"}</think>{"action":"finish","message":"ok"}<think>x</think>',
  "the end of a thought": 'hm</think>\n{"action":"finish","message":"ok"}',
  "two decisions": '{"action":"tool","tool":"a","args":{}}\n{"action":"tool","tool":"b","args":{}}',
  "an example before the decision": 'Like {"x":1} or {name}: {"action":"finish","message":"ok"}',
  "single quotes, bare names, comments, commas": "{action:'finish', // why\n 'message':'it\\'s ok', /* end */ }",
  "wide punctuation": "｛“action”：“finish”，“message”：“好，ok”｝",
  "no first brace": '"action":"finish","message":"ok"}',
  "written as a string": '"{\\"action\\":\\"finish\\",\\"message\\":\\"a \\\\n b\\"}"',
  "arguments written as a string": '{"action":"tool","tool":"look","args":"{\\"q\\":\\"x\\"}"}',
  "other names of members": '{"name":"look","arguments":{"q":"x"}}',
  "a name twice": '{"action":"tool","tool":"a","tool":"b","args":{"q":1,"q":2}}',
  "an unknown action": '{"action":"dance","message":"ok"}',
  "words alone": "Just words, 1 < 2 {x}.",
  "half of a pair, and a break of a line": '{"action":"finish","message":"\\ud83d \\ud83d\\ude00\u2028"}',
  "thoughts in code and in a fence":
    'Use `<think>` or ``a ` b``:\n```xml\n<think>x</think>\n```\n`open <think>y</think>\n\n{"action":"finish","message":"ok"}',
  "a thought within a line": 'I say <think>hm `x` <think></think> so {"action":"finish","message":"ok"}',
  "a list of decisions": '[{"action":"finish","message":"a"},{"action":"finish","message":"b"}]',
  "words and numbers for arguments":
    '{"action":"tool","tool":"t","args":{"a":-0,"b":1E3,"c":True,"d":None,"e":.5,"f":undefined,},}',
  "lists that do not end": '{"action":"tool","tool":"t","args":{"a":[[{"b":[1,2',
  "a fence of tildes": '~~~json\n  {"action":"finish",\r\n\t"message":"ok"}\n~~~\n',
  "arguments beside the tool": '{"tool":"look","q":"x","n":2}',
  "a call in a wrapper": '{"function":{"name":"look","arguments":"{\\"q\\":1}"}}',
  "a message that is no text": '{"action":"finish","message":["a",{"b":1}]}',
  "quotes within quotes": '{"action":"finish","message":"he said "yes", "no"", "note":"x"}',
  "a closing bracket for a brace": '{"action":"tool","tool":"t","args":{"a":[{"b":1]}}}',
  "an object behind the message's end": '{"action":"finish","message":"ok"},"note":"n"}',
}

const options: readonly DecisionReaderOptions[] = [{}, { strict: true }, { opensInThought: true }]

/** A decision as what differs from `whole`, that of the text as it is: members of other values, and those that it lacks. Of an unreadable one the fault without its place. */
function inShort(decision: Decision | undefined, whole: Decision | undefined): string {
  if (decision?.action === "unreadable") return `${decision.status}: ${decision.fault.kind}`
  if (decision === undefined || whole?.action !== decision.action) return JSON.stringify(decision)
  const known = new Map(Object.entries(whole).map(([name, value]) => [name, JSON.stringify(value)]))
  const changed = Object.entries(decision).filter(([name, value]) => known.get(name) !== JSON.stringify(value))
  const missing = Object.keys(whole).filter((name) => !(name in decision))
  const told = [...changed.map(([name, value]) => `${name} ${JSON.stringify(value)}`), ...missing.map((name) => `no ${name}`)]
  return told.join(", ") || "the same"
}

/** Texts that are read alike one after another, as one row. */
function rows(changed: (at: number) => string, text: string): string[] {
  const whole = readPieces([text]).decision
  const runs: { readonly read: string; readonly from: number; to: number }[] = []
  for (let at = 0; at < text.length; at++) {
    const { decision, thinking } = readPieces([changed(at)])
    const read = inShort(decision, whole) + (thinking === "" ? "" : `, thought ${JSON.stringify(thinking)}`)
    const last = runs.at(-1)
    if (last?.read === read) last.to = at
    else runs.push({ read, from: at, to: at })
  }
  return runs.map(({ read, from, to }) => `  ${from === to ? from : `${from}–${to}`} ${read}`)
}

/** When each piece of the message and of thoughts is shown, if the output comes unit by unit. Units that are shown at once, each by itself, stand together. */
function shownAt(text: string, given: DecisionReaderOptions): string {
  const reader = createDecisionReader(given)
  const shown: { readonly from: number; to: number; readonly kind: string; delta: string }[] = []
  const decisions: string[] = []
  const note = (at: number, events: ReturnType<typeof reader.push>) => {
    for (const event of events) {
      if (event.type === "decision") decisions.push(JSON.stringify({ ...event, type: undefined }))
      else {
        const kind = event.type === "thinking-delta" ? "t" : ""
        const last = shown.at(-1)
        const goesOn =
          last?.to === at - 1 && last.kind === kind && last.delta.length === at - last.from && event.delta.length === 1
        if (goesOn) [last.to, last.delta] = [at, last.delta + event.delta]
        else shown.push({ from: at, to: at, kind, delta: event.delta })
      }
    }
  }
  for (let at = 0; at < text.length; at++) note(at, reader.push(text.charAt(at)))
  note(text.length, reader.end())
  const places = shown.map(
    ({ from, to, kind, delta }) => `${from === to ? from : `${from}–${to}`}${kind}${JSON.stringify(delta)}`,
  )
  return [...places, ...decisions].join(" ")
}

describe("T21–T23: what planner output is read as", () => {
  test.each(Object.entries(outputs))("%s", async (name, text) => {
    const page = [
      `# ${name}`,
      JSON.stringify(text),
      "## read whole",
      JSON.stringify(readPieces([text]).decision),
      "## unit by unit: as written, strictly, and from inside a thought",
      ...options.map((given) => shownAt(text, given)),
      "## cut off before each unit",
      ...rows((at) => text.slice(0, at), text),
      "## without each unit",
      ...rows((at) => text.slice(0, at) + text.slice(at + 1), text),
      "## with a quote before each unit",
      ...rows((at) => `${text.slice(0, at)}"${text.slice(at)}`, text),
      "## with a closing brace before each unit",
      ...rows((at) => `${text.slice(0, at)}}${text.slice(at)}`, text),
    ]
    await expect(`${page.join("\n")}\n`).toMatchFileSnapshot(`__snapshots__/read-as/${name.replaceAll(/\W+/g, "-")}.md`)
  })
})
