import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { AnswerOutput } from "../../../src/loop/turn/answer-output.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { formatNamed } from "../../../src/reply/output/formats.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { segmentsOf, type TurnSegment, withSegments } from "../../../src/trace/segments.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { cutRandomly } from "../../reply/readings.ts"
import { collect, finish, testAgent } from "../../support/agents.ts"
import { runs } from "../../support/size.ts"

const format = formatNamed("emotion_pipe")
const output = { bubbles: true, ...(format ? { format } : {}) }

/** The events of an answer that comes in pieces. */
function eventsOf(pieces: readonly string[], people: readonly string[] = []): TurnEvent[] {
  const events: TurnEvent[] = [{ type: "turn-start", turnId: "t", atMs: 0, people }]
  const answer = new AnswerOutput(output, { emit: (event) => events.push(event), warnings: [], open: undefined })
  for (const piece of pieces) answer.say(piece)
  answer.end({ isWhole: true })
  return [...events, { type: "turn-end", result: { ok: true, text: answer.text } } as TurnEvent]
}

async function* streamed<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all
}

const segments = (...given: Parameters<typeof eventsOf>): Promise<TurnSegment[]> =>
  collect(segmentsOf(streamed(eventsOf(...given))))

/** The texts of an answer's segments, told apart by bars. */
const texts = async (text: string) => (await segments([`[calm] ||| ${text}`])).map((segment) => segment.text).join("|")

const wordings = [
  "[好奇] ||| ",
  "[sad]||| ",
  "[开心",
  "@br",
  "\n",
  "\r\n",
  " ",
  "好",
  "。",
  "！？",
  "…",
  ".",
  "?",
  "”",
  '"',
  "*",
  "Hi",
  "he",
  "Dr",
  "@Ann",
]

describe("H11 segments", () => {
  test("are sentences with their emotion, bubble and people", async () => {
    const text = "[happy] ||| @Ann, you are back! Come in.\n[shy] ||| I missed you…\n@br\nTea?"
    expect(await segments([text], ["Ann", "An"])).toEqual([
      { emotion: "happy", text: "@Ann, you are back! ", bubble: 1, mentions: ["Ann"], files: [], startOfSentence: true },
      { emotion: "happy", text: "Come in.\n", bubble: 1, mentions: [], files: [], startOfSentence: true },
      { emotion: "shy", text: "I missed you…", bubble: 1, mentions: [], files: [], startOfSentence: true },
      { emotion: "shy", text: "\n\nTea?", bubble: 2, mentions: [], files: [], startOfSentence: true },
    ])
  })

  test("end where a person hears the end of a sentence, in Chinese and in English", async () => {
    expect(await texts("你好！今天怎么样？？很好。")).toBe("你好！|今天怎么样？？|很好。")
    expect(await texts("他说：“好。”然后走了。*笑。*再见。")).toBe("他说：“好。”|然后走了。|*笑。*|再见。")
    expect(await texts("**是的。**走吧。*微笑*好。*点头*")).toBe("**是的。**|走吧。|*微笑*好。|*点头*")
    expect(await texts("我……不知道。3.5 是数字。")).toBe("我……不知道。|3.5 是数字。")
    expect(await texts('"Hi!" she said. "Who is it?" It is v1.2 of app.js.')).toBe(
      '"Hi!" she said. |"Who is it?" |It is v1.2 of app.js.',
    )
    expect(await texts("Dr. Smith met J. R. Hartley. So did I. Prof.  Ada too.")).toBe(
      "Dr. Smith met J. R. Hartley. |So did I. |Prof.  Ada too.",
    )
    expect(await texts("A list:\n- one\n- two\n\nThe end")).toBe("A list:\n|- one\n|- two\n\n|The end")
  })

  test("are the same however the stream was cut, and their texts are the answer", () => {
    const answers = fc.array(fc.constantFrom(...wordings), { maxLength: 30 }).map((words) => words.join(""))
    return fc.assert(
      fc.asyncProperty(answers, fc.nat(), async (text, seed) => {
        const events = eventsOf([text])
        const whole = await collect(segmentsOf(streamed(events)))
        expect(await segments(cutRandomly(text, mulberry32(seed)))).toEqual(whole)
        expect(await segments([...text])).toEqual(whole)
        const said = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))
        expect(whole.map((segment) => segment.text).join("")).toBe(said.join(""))
      }),
      { numRuns: runs(6_000) },
    )
  })

  test("come at the latest with the first character of the next sentence", async () => {
    const order: string[] = []
    for await (const event of withSegments(streamed(eventsOf([..."你好。再见"]))))
      if (event.type === "text-delta") order.push(event.delta)
      else if (event.type === "segment") order.push(`[${event.segment.text}]`)
    expect(order.join("")).toBe("你好。再[你好。]见[再见]")
  })

  test("tell an emotion that has no words, and a sentence that goes on with another one", async () => {
    expect(await segments(["[wink] ||| [sad] ||| Well"])).toMatchObject([
      { emotion: "wink", text: "" },
      { emotion: "sad", text: "Well" },
    ])
    const events: TurnEvent[] = [
      { type: "text-delta", delta: "Well" },
      { type: "emotion", emotion: "shy", asset: "shy.png" },
      { type: "text-delta", delta: ", yes. No." },
    ]
    expect(await collect(segmentsOf(streamed([...events, ...eventsOf([]).slice(-1)])))).toMatchObject([
      { text: "Well", startOfSentence: true },
      { emotion: "shy", asset: "shy.png", text: ", yes. ", startOfSentence: false },
      { text: "No.", startOfSentence: true },
    ])
  })

  test("of a turn do not wait for its tools; its bubbles carry their emotions", async () => {
    const bell = defineTool({ name: "bell", description: "Rings.", inputSchema: z.object({}), execute: () => "rung" })
    const calls = [{ type: "tool-call", call: { id: "1", name: "bell", args: "{}" } }] as const
    const model = scriptedModel(
      [[{ type: "text-delta", delta: "[calm] ||| One moment" }, ...calls], "[sad] ||| Nobody.\n[glad] ||| Ah!@br Hello."],
      { capabilities: { tools: true } },
    )
    const { agent, session } = testAgent(
      model,
      { output, loop: { mode: "native" }, memory: { enabled: false } },
      { tools: [bell] },
    )
    const turn = session.send("Ring.")
    const order: string[] = []
    for await (const event of withSegments(turn))
      if (event.type === "segment") order.push(event.segment.text)
      else if (event.type.startsWith("tool")) order.push(event.type)
      else if (event.type === "bubble") order.push(`(${event.emotions?.join(" ")})`)
    await agent.close()
    expect(order).toEqual([
      "One moment",
      "tool-start",
      "tool-end",
      "(calm)",
      "\n\nNobody.\n",
      "Ah!",
      "(sad glad)",
      "\n\n Hello.",
      "(glad)",
    ])
    const all = await collect(turn.segments)
    expect(all.map(({ emotion, bubble }) => `${emotion} ${bubble}`)).toEqual(["calm 1", "sad 2", "glad 2", "glad 3"])
    const result = await turn.result
    expect(result.ok && all.map(({ text }) => text).join("") === result.text).toBe(true)
  })

  test("of a failed turn are what was shown; in a group they name its people", async () => {
    const { agent, session } = testAgent(scriptedModel([["你好。@小明明天见", new Error("off")]]), {
      loop: { mode: "chat" },
      memory: { enabled: false },
    })
    const turn = session.send("？")
    const result = await turn.result
    const all = await collect(turn.segments)
    expect(result.ok ? "" : result.gathered.text).toBe(all.map(({ text }) => text).join(""))
    await agent.close()
    const group = testAgent(scriptedModel([finish("@小明明天见。")]), { memory: { enabled: false } })
    const { agent: other } = group
    const said = other.session({ conversation: "g", audience: "group" }).send("好", { from: { id: "1", name: "小明" } })
    expect(await collect(said.segments)).toMatchObject([{ text: "@小明明天见。", mentions: ["小明"] }])
    await other.close()
  })
})
