import type { FinishReason, ModelPart } from "../../model/model-part.ts"
import type { Check } from "./check.ts"
import { claim, textOf, wholeAnswer } from "./claims.ts"
import type { ProviderHappening } from "./provider-scene.ts"

const text = (piece: string): ProviderHappening => ({ type: "text", text: piece })
const finish = (reason: FinishReason = "stop"): ProviderHappening => ({ type: "finish", reason })

// What breaks a reader that is not exact: the syntax of wire formats, line ends of all kinds, characters of several units.
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

/** What an answer of text and reasoning becomes. */
export const streamingChecks: readonly Check[] = [
  {
    name: "text arrives whole, in order and unaltered",
    scripts: [[...pieces.map(text), finish()]],
    async verify(stage) {
      const said = textOf(wholeAnswer(await stage.read()))
      claim(said === pieces.join(""), `the text ${JSON.stringify(pieces.join(""))}`, said)
    },
  },
  {
    name: "text arrives as it comes, not at the end",
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
  {
    name: "no part ever holds half a character",
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
  {
    name: "reasoning arrives as reasoning, in its place before the text",
    needs: ["reasoning"],
    scripts: [
      [{ type: "reasoning", text: "first " }, { type: "reasoning", text: "think" }, text("then "), text("speak"), finish()],
    ],
    async verify(stage) {
      const runs = runsOf(wholeAnswer(await stage.read()))
      claim(JSON.stringify(runs) === '["reasoning: first think","text: then speak"]', "first the reasoning, then the text", runs)
    },
  },
  {
    name: "an answer has one finish, its last part, with the reason",
    scripts: reasons.map((reason) => [text("so"), finish(reason)]),
    async verify(stage) {
      for (const reason of reasons) {
        const last = wholeAnswer(await stage.read()).at(-1)
        claim(last?.type === "finish" && last.reason === reason, `the finish reason ${reason}`, last)
      }
    },
  },
  {
    name: "whatever comes after the finish, there is one finish and it is the last part",
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
  {
    name: "an empty stream is an empty answer or a typed error",
    scripts: [[]],
    async verify(stage) {
      const answer = await stage.read()
      claim(textOf(answer.parts) === "", "no text", answer.parts)
      if (answer.error === undefined) wholeAnswer(answer)
      else claim((answer.error as { code?: unknown }).code === "model", "code `model`", answer.error)
    },
  },
]

function isWellFormed(part: ModelPart): boolean {
  return !("delta" in part) || part.delta.isWellFormed()
}

/** Text and reasoning with neighbours of one kind joined. */
function runsOf(parts: readonly ModelPart[]): readonly string[] {
  const runs: { type: string; said: string }[] = []
  for (const part of parts) {
    if (part.type !== "text-delta" && part.type !== "reasoning-delta") continue
    const last = runs.at(-1)
    if (last?.type === part.type) last.said += part.delta
    else if (part.delta !== "") runs.push({ type: part.type, said: part.delta })
  }
  return runs.map(({ type, said }) => `${type.replace("-delta", "")}: ${said}`)
}
