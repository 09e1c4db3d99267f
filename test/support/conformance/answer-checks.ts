import { parsedJson } from "../../../src/core/json-access.ts"
import type { FinishReason, ModelPart, Usage } from "../../../src/core/model/language-model.ts"
import type { ToolCall } from "../../../src/core/span.ts"
import { claim, isSameJson } from "../../../src/testing/conformance/claims.ts"
import { type Checks, finish, modelFailure, text, textOf, wholeAnswer } from "./stage.ts"

// An inexact reader breaks on these: syntax of wire formats, line breaks of all kinds, characters of several units.
const pieces = [
  "你好，",
  " wor",
  "ld\n\n",
  "data: [DONE]\n\n",
  'a "quoted" \\ ',
  "\r\n\t",
  "\u2028",
  "👩‍👩‍👧",
  "e\u0301",
  "}",
  "  ",
]
const reasons: readonly FinishReason[] = ["stop", "length", "content-filter"]

/** Rules of text and thinking. */
export const streamingChecks: Checks = {
  "text arrives whole, in order and unaltered": {
    scripts: [[...pieces.map(text), finish()]],
    async verify(stage) {
      const said = textOf(wholeAnswer(await stage.read()))
      claim(said === pieces.join(""), `the text ${JSON.stringify(pieces.join(""))}`, said)
    },
  },
  "text arrives as it comes, not at the end": {
    needs: ["stall"],
    scripts: [[text("early"), { type: "stall" }]],
    async verify(stage) {
      const controller = new AbortController()
      const stream = stage.open(controller.signal)
      while (textOf(stream.parts) !== "early")
        claim((await stream.next()) !== undefined, "the text before the stall", stream.parts)
      controller.abort()
      await stream.rest()
    },
  },
  "no part ever holds half a character": {
    needs: ["split-characters"],
    scripts: [
      [text("a\ud83d"), text("\ude00b"), finish()],
      [text("x\ud83d"), finish()],
    ],
    async verify(stage) {
      const split = wholeAnswer(await stage.read())
      const lone = wholeAnswer(await stage.read())
      claim([...split, ...lone].every(isWellFormed), "well-formed deltas only", [split, lone])
      claim(textOf(split) === "a😀b", "a character whose halves come apart to be whole", textOf(split))
      claim(textOf(lone).startsWith("x"), "the text before half a character to be kept", textOf(lone))
    },
  },
  "thinking arrives as thinking, in its place before the text": {
    needs: ["thinking"],
    scripts: [
      [{ type: "thinking", text: "first " }, { type: "thinking", text: "think" }, text("then "), text("speak"), finish()],
    ],
    async verify(stage) {
      const runs = runsOf(wholeAnswer(await stage.read()))
      claim(JSON.stringify(runs) === '["thinking: first think","text: then speak"]', "first the thinking, then the text", runs)
    },
  },
  "an answer has one finish, its last part, with the reason": {
    scripts: reasons.map((reason) => [text("so"), finish(reason)]),
    async verify(stage) {
      for (const reason of reasons) {
        const last = wholeAnswer(await stage.read()).at(-1)
        claim(last?.type === "finish" && last.reason === reason, `the finish reason ${reason}`, last)
      }
    },
  },
  "whatever comes after the finish, there is one finish and it is the last part": {
    needs: ["after-finish"],
    scripts: [
      [text("so"), finish(), finish()],
      [text("so"), finish(), text("late"), finish("length")],
    ],
    async verify(stage) {
      for (let at = 0; at < 2; at++) {
        const parts = wholeAnswer(await stage.read())
        claim(textOf(parts).startsWith("so"), "the text before the finish", parts)
      }
    },
  },
  "an empty stream is an empty answer or a typed error": {
    scripts: [[]],
    async verify(stage) {
      const answer = await stage.read()
      claim(textOf(answer.parts) === "", "no text", answer.parts)
      if (answer.error === undefined) wholeAnswer(answer)
      else claim((answer.error as { code?: unknown }).code === "model", "code `model`", answer.error)
    },
  },
}

function isWellFormed(part: ModelPart): boolean {
  return !("delta" in part) || part.delta.isWellFormed()
}

/** Joins neighbouring deltas of text, and those of thinking. */
function runsOf(parts: readonly ModelPart[]): readonly string[] {
  const runs: { type: string; said: string }[] = []
  for (const part of parts) {
    if (part.type !== "text-delta" && part.type !== "thinking-delta") continue
    const last = runs.at(-1)
    if (last?.type === part.type) last.said += part.delta
    else if (part.delta !== "") runs.push({ type: part.type, said: part.delta })
  }
  return runs.map(({ type, said }) => `${type.replace("-delta", "")}: ${said}`)
}

/** Rules of tool calls. */
export const toolCallChecks: Checks = {
  "tool calls arrive whole and in order, with id, name and JSON arguments": {
    needs: ["tool-call"],
    tools: true,
    scripts: [
      [
        text("Let me look."),
        {
          type: "tool-call",
          id: "call_a",
          name: "query_weather",
          args: ['{"ci', 'ty":"杭', '州","note":"a \\"b\\" \\ud83d', '\\ude00"}'],
        },
        { type: "tool-call", id: "call_b", name: "read_clock", args: ['{"zone":', '"UTC"}'] },
        finish("tool-calls"),
      ],
    ],
    async verify(stage) {
      const parts = wholeAnswer(await stage.read())
      const calls = callsOf(parts).map(({ id, name, args }) => ({ id, name, args: parsed(args) }))
      const expected = [
        { id: "call_a", name: "query_weather", args: { city: "杭州", note: 'a "b" 😀' } },
        { id: "call_b", name: "read_clock", args: { zone: "UTC" } },
      ]
      claim(JSON.stringify(calls) === JSON.stringify(expected), `the calls ${JSON.stringify(expected)}`, calls)
      const last = parts.at(-1)
      claim(last?.type === "finish" && last.reason === "tool-calls", "the finish reason tool-calls", last)
    },
  },
  "a tool call without arguments has an empty object as arguments": {
    needs: ["tool-call"],
    tools: true,
    scripts: [[{ type: "tool-call", id: "call_a", name: "read_clock", args: [] }, finish("tool-calls")]],
    async verify(stage) {
      const calls = callsOf(wholeAnswer(await stage.read()))
      claim(calls.length === 1 && JSON.stringify(parsed(calls[0]?.args)) === "{}", "one call with the arguments {}", calls)
    },
  },
  "a tool call that breaks off is never yielded": {
    needs: ["tool-call", "cut"],
    tools: true,
    scripts: [[{ type: "tool-call", id: "call_a", name: "pay", args: ['{"amount":', "1"] }, { type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim(callsOf(answer.parts).length === 0, "no tool call", answer.parts)
    },
  },
}

function callsOf(parts: readonly ModelPart[]): readonly ToolCall[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []))
}

function parsed(args: unknown): unknown {
  claim(typeof args === "string", "arguments as JSON text", args)
  const value = parsedJson(args)
  claim(value !== undefined, "arguments that are JSON", args)
  return value
}

/** The beginning of a PNG, with bytes of every kind. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ+/8="
const another = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAP8="

/** Rules of files that a model makes. */
export const fileChecks: Checks = {
  "a file that the model makes arrives whole and unaltered, in its place between the words": {
    needs: ["file"],
    scripts: [
      [
        text("A cat: "),
        { type: "file", mediaType: "image/png", base64: picture },
        text("a dog: "),
        { type: "file", mediaType: "image/png", base64: another },
        finish(),
      ],
    ],
    async verify(stage) {
      const shown = shownOf(wholeAnswer(await stage.read()))
      const expected = ["A cat: ", `image/png ${picture}`, "a dog: ", `image/png ${another}`]
      claim(isSameJson(shown, expected), `words and files as ${JSON.stringify(expected)}`, shown)
    },
  },
  "an answer that is only a file is an answer": {
    needs: ["file"],
    scripts: [[{ type: "file", mediaType: "image/png", base64: picture }, finish()]],
    async verify(stage) {
      const shown = shownOf(wholeAnswer(await stage.read()))
      claim(isSameJson(shown, [`image/png ${picture}`]), "the file alone", shown)
    },
  },
}

/** The text between files, and the files. */
function shownOf(parts: readonly ModelPart[]): readonly string[] {
  const shown: string[] = []
  let words = ""
  for (const part of parts) {
    if (part.type === "text-delta") words += part.delta
    if (part.type !== "file") continue
    if (words !== "") shown.push(words)
    words = ""
    shown.push(`${part.mediaType} ${part.base64}`)
  }
  return words === "" ? shown : [...shown, words]
}

const full: Usage = { inputTokens: 9, inputCacheReadTokens: 4, outputTokens: 5, reasoningTokens: 2 }
const scant: Usage = { inputTokens: 9, outputTokens: 0 }

/** Rules of token counts. */
export const usageChecks: Checks = {
  "the tokens that the provider reports arrive once": {
    needs: ["usage"],
    scripts: [[text("so"), { type: "usage", usage: full }, finish()]],
    async verify(stage) {
      const reports = reportsOf(wholeAnswer(await stage.read()))
      claim(reports.length === 1 && isSameJson(reports[0], full), `one report of ${JSON.stringify(full)}`, reports)
    },
  },
  "zero tokens are zero, and what the provider does not say is absent": {
    needs: ["usage", "absent-counts"],
    scripts: [
      [text("so"), { type: "usage", usage: scant }, finish()],
      [text("so"), finish()],
    ],
    async verify(stage) {
      const said = reportsOf(wholeAnswer(await stage.read()))
      claim(said.length === 1 && isSameJson(said[0], scant), `one report of ${JSON.stringify(scant)}`, said)
      const unsaid = reportsOf(wholeAnswer(await stage.read()))
      const isEmpty = unsaid.every((report) => isSameJson(report, {}))
      claim(isEmpty, "no counts where the provider reports none", unsaid)
    },
  },
}

function reportsOf(parts: readonly ModelPart[]): readonly Usage[] {
  return parts.flatMap((part) => (part.type === "usage" ? [part.usage] : []))
}
