import { describe, expect, test } from "vitest"
import { readPieces } from "./readings.ts"

/** Outputs whose reading depends on where lines end. */
const outputs = [
  'Sure:\n```json\n{"action":"finish","message":"ok"}\n```\nDone.',
  '~~~\n<think>in code</think>\n~~~\n{"action":"finish",\n\n"message":"a\nb"}',
  'I say `<think>\nno` more\n\n`<think>x</think>\n{"action":"finish","message":"ok"}',
  '{"action":"finish","message":"a }\n\nb"}',
  '{"action":"finish","message":"it ends"}\n\n}, and words',
  '{"action":"finish","message":"it goes on }\nwith words',
  '{"action":"finish","message":"one"\n"note":"two"}',
  "{action: finish // why\n, message: 'ok' # so\n}",
  '{"action":"tool","tool":"t","args":{"a":"x\n"b":"y"}}',
  '{"action":"tool","tool":"t","args":{"a":[1\n2\n"x"\n]}}',
  'hm</think>\n\n{"action":"finish","message":"ok"}\n',
  "1. words\n2. alone\n\n   indented ```\n",
]

const breaks = { "a carriage return": "\r", both: "\r\n" }

describe.each(Object.entries(breaks))("a line that ends with %s", (_, lineBreak) => {
  test.each(outputs)("reads like one that ends with a line feed: %j", (output) => {
    const readingOf = (text: string) => {
      const { decision, message, thinking } = readPieces([text])
      const reading = {
        ...decision,
        fault: decision?.action === "unreadable" ? decision.fault?.kind : undefined,
        message,
        thinking,
      }
      return JSON.stringify(reading).replaceAll(/(?:\\r)?\\n|\\r/g, "\\n")
    }
    expect(readingOf(output.replaceAll("\n", lineBreak))).toBe(readingOf(output))
  })
})
