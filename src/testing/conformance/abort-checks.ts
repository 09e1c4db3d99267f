import type { Check } from "./check.ts"
import { abortedAnswer, claim, textOf, wholeAnswer } from "./claims.ts"

const stalling = [{ type: "text", text: "half" }, { type: "stall" }] as const
const answered = [
  { type: "text", text: "fine" },
  { type: "finish", reason: "stop" },
] as const
const reason = () => new Error("enough")

/** What an aborted request becomes; each also leaves no rejection that nobody handles. */
export const abortChecks: readonly Check[] = [
  {
    name: "a signal that is aborted already asks nothing",
    scripts: [answered],
    async verify(stage) {
      abortedAnswer(await stage.read(AbortSignal.abort(reason())))
      claim(stage.requests.length === 0, "no request", stage.requests)
    },
  },
  {
    name: "an abort as the request goes out ends it as aborted",
    scripts: [answered],
    async verify(stage) {
      const controller = new AbortController()
      const reading = stage.read(controller.signal)
      controller.abort(reason())
      abortedAnswer(await reading)
    },
  },
  {
    name: "an abort while the first part is awaited ends the request at once",
    needs: ["stall"],
    scripts: [[{ type: "stall" }]],
    async verify(stage) {
      const controller = new AbortController()
      const reading = stage.read(controller.signal)
      await stage.requested(1)
      controller.abort(reason())
      abortedAnswer(await reading)
    },
  },
  {
    name: "an abort in mid-message ends the request at once, and nothing comes after it",
    needs: ["stall"],
    scripts: [stalling],
    async verify(stage) {
      const controller = new AbortController()
      const stream = stage.open(controller.signal)
      claim((await stream.next()) !== undefined, "a first part", stream.parts)
      controller.abort(reason())
      abortedAnswer(await stream.rest())
      claim((await stream.next()) === undefined, "the end after the error", stream.parts)
    },
  },
  {
    name: "leaving the stream early ends it",
    needs: ["stall"],
    scripts: [stalling],
    async verify(stage) {
      const stream = stage.open()
      claim((await stream.next()) !== undefined, "a first part", stream.parts)
      await stream.leave()
      claim((await stream.next()) === undefined, "the end after leaving", stream.parts)
    },
  },
  {
    name: "after an abort the next request is answered",
    needs: ["stall"],
    scripts: [stalling, answered],
    async verify(stage) {
      const controller = new AbortController()
      const stream = stage.open(controller.signal)
      await stream.next()
      controller.abort(reason())
      abortedAnswer(await stream.rest())
      const said = textOf(wholeAnswer(await stage.read()))
      claim(said === "fine", 'the text "fine"', said)
    },
  },
]
