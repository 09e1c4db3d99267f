import type { ModelRequest, ModelTool } from "../../../src/core/model/language-model.ts"
import type { Message } from "../../../src/core/span.ts"
import { claim } from "../../../src/testing/conformance/claims.ts"
import {
  abortedAnswer,
  type Check,
  type Checks,
  fine,
  finish,
  type OpenStream,
  type ProviderHappening,
  type ProviderScript,
  text,
  textOf,
  wholeAnswer,
} from "./stage.ts"

const tools: readonly ModelTool[] = [
  {
    name: "query_weather",
    description: "Looks up the zephyr.",
    inputSchema: { type: "object", properties: { borough: { type: "string" } }, required: ["borough"] },
  },
]

const talk: readonly Message[] = [
  { role: "system", content: "first-system-words" },
  { role: "system", content: "second-system-words" },
  { role: "developer", content: "developer-words" },
  { role: "user", content: "early-user-words" },
  { role: "assistant", content: "assistant-words" },
  { role: "user", content: "late-user-words" },
]
const toolRun: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [{ id: "call_w", name: "query_weather", args: '{"borough":"Northgate"}' }] },
  { role: "tool", content: "tool-result-words", toolCallId: "call_w" },
]

/** Rules of requests. */
export const requestChecks: Checks = {
  "a model has an id and says what it can take": {
    scripts: [],
    async verify({ model: { id, capabilities } }) {
      claim(typeof id === "string" && id !== "", "an id", id)
      const { developerRole, tools: native } = capabilities
      claim(typeof developerRole === "boolean" && native === false, "capabilities that say there are no tools", capabilities)
    },
  },
  "every message's words reach the provider, whatever their role": {
    scripts: [fine],
    async verify(stage) {
      requireWords(
        await sent(stage, { messages: talk }),
        talk.map(({ content }) => content),
      )
    },
  },
  "tools and their runs reach the provider of a model that has native tools": {
    needs: ["tool-call"],
    tools: true,
    scripts: [fine],
    async verify(stage) {
      claim(stage.model.capabilities.tools, "capabilities that say there are tools", stage.model.capabilities)
      const body = await sent(stage, { messages: [...talk, ...toolRun], tools })
      requireWords(body, ["query_weather", "Looks up the zephyr.", "borough", "Northgate", "call_w", "tool-result-words"])
    },
  },
  "tools are not sent to a model that has none": {
    scripts: [fine],
    async verify(stage) {
      const body = await sent(stage, { messages: talk, tools })
      claim(!body.includes("query_weather") && !body.includes("zephyr"), "no tool in the request", body)
    },
  },
  "half a character in a message is not sent as such": {
    needs: ["split-characters"],
    scripts: [fine],
    async verify(stage) {
      const body = await sent(stage, { messages: [{ role: "user", content: "broken \ud83d words" }] })
      claim(body.isWellFormed() && !/\\ud[89a-f]/i.test(body), "a well-formed request", body)
    },
  },
}

async function sent(stage: Parameters<Check["verify"]>[0], request: ModelRequest): Promise<string> {
  wholeAnswer(await stage.read(undefined, request))
  const [body, more] = stage.requests
  claim(body !== undefined && more === undefined, "one request at the provider", stage.requests)
  return body
}

function requireWords(body: string, words: readonly string[]): void {
  const missing = words.filter((word) => !body.includes(word))
  claim(missing.length === 0, `the request to hold ${JSON.stringify(missing)}`, body)
}

const letters = (letter: string): ProviderScript => [
  ...Array.from({ length: 6 }, (_, at): ProviderHappening => text(`${letter}${at} `)),
  finish(),
]
const whole = ["a0 a1 a2 a3 a4 a5 ", "b0 b1 b2 b3 b4 b5 "]

/** Rules of concurrent requests. They may arrive in any order. */
export const concurrencyChecks: Checks = {
  "two streams read in turns do not mix": {
    scripts: [letters("a"), letters("b")],
    async verify(stage) {
      const streams = [stage.open(), stage.open()]
      for (let open = streams; open.length > 0; ) open = await readInTurns(open)
      const texts = streams.map(({ parts }) => textOf(wholeAnswer({ parts }))).sort()
      claim(JSON.stringify(texts) === JSON.stringify(whole), `the texts ${JSON.stringify(whole)}`, texts)
    },
  },
  "aborting one stream does not disturb another": {
    needs: ["stall"],
    scripts: [[text("stalls"), { type: "stall" }], [text("stalls"), { type: "stall" }], letters("a")],
    async verify(stage) {
      const controller = new AbortController()
      const kept = new AbortController()
      const streams = [stage.open(controller.signal), stage.open(kept.signal)]
      for (const stream of streams) await stream.next()
      const [first, second] = streams.map((stream) => stream.rest())
      controller.abort(new Error("enough"))
      // If a claim below fails, nothing awaits this promise.
      second?.catch(() => undefined)
      if (first) abortedAnswer(await first)
      const said = textOf(wholeAnswer(await stage.read()))
      claim(said === whole[0], `the text ${whole[0]}`, said)
      const other = await Promise.race([second, Promise.resolve("still open")])
      claim(other === "still open", "the other stream to be open still", other)
      kept.abort(new Error("enough"))
      if (second) abortedAnswer(await second)
    },
  },
}

/** Reads one part of each stream. Resolves to the streams that had one. */
async function readInTurns(streams: readonly OpenStream[]): Promise<OpenStream[]> {
  const more: OpenStream[] = []
  for (const stream of streams) if ((await stream.next()) !== undefined) more.push(stream)
  return more
}
