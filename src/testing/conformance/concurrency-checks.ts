import type { Check } from "./check.ts"
import { abortedAnswer, claim, textOf, wholeAnswer } from "./claims.ts"
import type { ProviderHappening, ProviderScript } from "./provider-scene.ts"
import type { OpenStream } from "./stage.ts"

const letters = (letter: string): ProviderScript => [
  ...Array.from({ length: 6 }, (_, at): ProviderHappening => ({ type: "text", text: `${letter}${at} ` })),
  { type: "finish", reason: "stop" },
]
const whole = ["a0 a1 a2 a3 a4 a5 ", "b0 b1 b2 b3 b4 b5 "]

/** Requests of one model that run side by side. Which one arrives first is the network's business. */
export const concurrencyChecks: readonly Check[] = [
  {
    name: "two streams read in turns do not mix",
    scripts: [letters("a"), letters("b")],
    async verify(stage) {
      const streams = [stage.open(), stage.open()]
      for (let open = streams; open.length > 0; ) open = await readInTurns(open)
      const texts = streams.map(({ parts }) => textOf(wholeAnswer({ parts }))).sort()
      claim(JSON.stringify(texts) === JSON.stringify(whole), `the texts ${JSON.stringify(whole)}`, texts)
    },
  },
  {
    name: "aborting one stream does not disturb another",
    needs: ["stall"],
    scripts: [
      [{ type: "text", text: "stalls" }, { type: "stall" }],
      [{ type: "text", text: "stalls" }, { type: "stall" }],
      letters("a"),
    ],
    async verify(stage) {
      const controller = new AbortController()
      const kept = new AbortController()
      const streams = [stage.open(controller.signal), stage.open(kept.signal)]
      for (const stream of streams) await stream.next()
      const [first, second] = streams.map((stream) => stream.rest())
      controller.abort(new Error("enough"))
      // Should a claim below fail, nobody awaits it any more.
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
]

/** One part of each stream; those that have more. */
async function readInTurns(streams: readonly OpenStream[]): Promise<OpenStream[]> {
  const more: OpenStream[] = []
  for (const stream of streams) if ((await stream.next()) !== undefined) more.push(stream)
  return more
}
