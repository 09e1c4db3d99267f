import { beforeAll, describe, expect, test } from "vitest"
import type { Reader } from "../../../src/core/reader.ts"
import { createFinalOutputReader, loadDecisions } from "../../../src/reply/final-output-reader.ts"
import { createBubbleReader } from "../../../src/reply/output/bubble-reader.ts"
import { EmotionReader } from "../../../src/reply/output/emotion-reader.ts"
import { createFileReferenceReader } from "../../../src/reply/output/file-reference-reader.ts"
import { createTextStage, type OutputReader } from "../../../src/reply/output/output-part.ts"
import { withEmptyReply } from "../../../src/reply/output/output-reader.ts"
import { createPlainTextReader } from "../../../src/reply/thinking.ts"

beforeAll(loadDecisions)

/** A stage that gets texts. */
const stage = (make: () => OutputReader) => (): Reader<string, object> => {
  const reader = make()
  return { push: (delta) => reader.push({ type: "text", delta }), end: () => reader.end() }
}
const emotions = (syntax: "pipe" | "bracket", listed?: readonly string[]) =>
  stage(() => createTextStage(() => new EmotionReader({ syntax, emotions: listed, expected: "a tag" })))

const tagged = [
  "[glad] ||| hi",
  "  [glad]|||\r\nhi",
  "**[glad]** ||| hi",
  "**[glad] |||** hi",
  "*[glad] ||| hi*",
  "［Glad］｜｜｜hi",
  "[glad] hi",
  "*[glad]* hi",
  "[glad](x) hi",
  "[12:30] hi",
  "[odd] hi\n[glad] ho",
  "[odd] ||| a\n[glad] ||| b@br[odd] ||| c",
  "a [glad] ||| b",
  "[glad] || b",
  "[] ||| b",
  `[${"n".repeat(32)}] ||| b`,
  `[${"n".repeat(33)}] ||| b`,
  `${" ".repeat(17)}[glad] ||| b`,
  "x@br[glad] y\n@br [glad]z",
  "mail@bridge.com[glad]",
  "[glad",
  "[glad] |",
  "",
  "\n\n[glad] x",
]

/** Each reader with texts that try its edges. */
const readers: Readonly<Record<string, { readonly make: () => Reader<string, object>; readonly texts: readonly string[] }>> = {
  "tags with bars": { make: emotions("pipe", ["glad", "sad"]), texts: tagged },
  "tags with bars, any emotion": { make: emotions("pipe"), texts: tagged },
  "tags in brackets": { make: emotions("bracket", ["glad", "sad"]), texts: tagged },
  "tags in brackets, any emotion": { make: emotions("bracket"), texts: tagged },
  bubbles: {
    make: stage(() => createBubbleReader()),
    texts: [
      "a@brb",
      "a @br b",
      "a\r\n@br\r\nb",
      "a\n\n@br\n\nb",
      "\r@br\rb",
      "@br@br",
      "a @br@br@brc",
      "@b",
      "x\r\n@",
      "-@br-",
      "_@br",
      " @brZ",
      "z @br{",
      "",
      "\r",
    ],
  },
  files: {
    make: stage(createFileReferenceReader),
    texts: [
      ...[
        "a %[b.txt] Line 3 ~ Line 12. c",
        "%[a]line3～4",
        "%[a]  LINE  3  ~  5x",
        "%[a]   Line 3 ~ 4",
        "%[a] Lin",
        "%[a] Line 3 ~ ",
      ],
      ...[
        "%[a[b]c]]",
        "%[a\\]b] x",
        "%[a\\\\]b]",
        "%[a %[b]",
        "%[ ]",
        "%%[a]",
        "%x",
        "%[a\nb]",
        "%[a\u2028]",
        "%",
        "%[",
        "100 %",
      ],
      ...[
        `%[${"p".repeat(1_024)}] Line 1 ~ 2`,
        `%[${"p".repeat(1_025)}]`,
        `%[a] Line ${"1".repeat(9)} ~ 2`,
        `%[a] Line ${"1".repeat(10)} ~ 2`,
      ],
    ],
  },
  silence: {
    make: stage(() => withEmptyReply(createBubbleReader())),
    texts: [
      "<empty_reply>",
      " <empty_reply>\n",
      "a<empty_reply>b",
      "<empty_reply><empty_reply>",
      "<empty",
      "a < b",
      "<<empty_reply>",
      "<empty_reply> %",
      "",
    ],
  },
  "plain text": {
    make: () => createPlainTextReader(),
    texts: [
      "<think>a</think>\n\n b",
      "a <think>b</think> c",
      "a</think>b",
      "<THINKING>a</thinking>b",
      "<think>a",
      "a <th",
      " b",
      "<think></think> <think>x</think> c",
      "\ud83d",
      "\ud83d\ude00",
    ],
  },
  "final output": {
    make: () => createFinalOutputReader(),
    texts: [
      ...[
        "Words.",
        " \n",
        '{"action":"finish","message":"a b"}',
        '{"action":"tool","tool":"x","args":{}}',
        '{"a":1}',
        "{x} y",
        "```json\n{",
      ],
      ...[
        '```json\n{"action":"finish","message":"a"}\n```',
        "```\n \n {}",
        "```js\nx",
        "```  JSON \r\n{}",
        "``x",
        `\`\`\`${" ".repeat(14)}`,
        "`a",
        "```",
      ],
      ...['<think>t</think> {"a":2}', '{"a":1} action: finish', "``` json x\n{}"],
    ],
  },
}

/** What a reader yields behind which unit, if a text comes unit by unit; texts as they are, other parts as JSON. */
function shownWhen(make: () => Reader<string, object>, text: string): string {
  const reader = make()
  const shown: string[] = []
  const note = (at: number | "end", parts: Iterable<object>) => {
    for (const part of parts) {
      const { type, delta } = part as { readonly type: string; readonly delta?: string }
      shown.push(`${at} ${type === "text" ? JSON.stringify(delta) : JSON.stringify(part)}`)
    }
  }
  for (let at = 0; at < text.length; at++) note(at, reader.push(text.charAt(at)))
  note("end", reader.end())
  return shown.join(" · ")
}

/** Long runs of one letter are told by their length. */
const inRuns = (text: string): string => text.replaceAll(/(.)\1{15,}/g, (run) => `${run.charAt(0)}×${run.length}`)
const named = (text: string): string => inRuns(JSON.stringify(text))

describe("what of an answer is shown, and when", () => {
  test.each(Object.entries(readers))("%s", async (name, { make, texts }) => {
    const rows = texts.map((text) => `- ${named(text)}\n  ${inRuns(shownWhen(make, text))}`)
    await expect(`# ${name}\n${rows.join("\n")}\n`).toMatchFileSnapshot(
      `__snapshots__/shown-when/${name.replaceAll(/\W+/g, "-")}.md`,
    )
  })
})
