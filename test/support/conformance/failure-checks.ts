import { claim } from "../../../src/testing/conformance/claims.ts"
import {
  abortedAnswer,
  type Check,
  type Checks,
  type ConformanceNeed,
  claimFine,
  conformanceSecret,
  fine,
  modelFailure,
  text,
  textOf,
} from "./stage.ts"

/** Rules of failures: error statuses and broken connections. */
export const faultChecks: Checks = {
  "a refused key is a failure that no retry mends": statusCheck([401, 403], false),
  "an unknown model is a failure that no retry mends": statusCheck([404], false),
  "a request at fault is a failure that no retry mends": statusCheck([400], false),
  "a server's own fault is a failure that a retry may mend": statusCheck([500, 502, 503], true),
  "too many requests are a failure that a retry may mend, with the wait the provider asks for": {
    needs: ["status"],
    scripts: [[{ type: "status", status: 429, message: "Slow down.", retryAfterMs: 2_000 }]],
    async verify(stage) {
      const { evidence } = modelFailure(await stage.read(), true)
      claim(evidence.retryAfterMs === 2_000, "evidence.retryAfterMs to be 2000", evidence)
    },
  },
  "no error repeats the key": {
    needs: ["status"],
    scripts: [401, 400, 500].map((status) => [{ type: "status", status, message: `Bad key: ${conformanceSecret}, refused.` }]),
    async verify(stage) {
      for (const isRetryable of [false, false, true]) {
        const texts = textsWithin(modelFailure(await stage.read(), isRetryable))
        claim(!texts.some((text) => text.includes(conformanceSecret)), "the key nowhere in the error", texts)
      }
    },
  },
  "a connection cut before the first part is a failure that a retry may mend": {
    needs: ["cut"],
    scripts: [[{ type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim(textOf(answer.parts) === "", "no text", answer.parts)
    },
  },
  "a connection cut in mid-message is a failure that a retry may mend, never a finished answer": {
    needs: ["cut"],
    scripts: [[text("half"), { type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim("half".startsWith(textOf(answer.parts)), "nothing but what was sent", answer.parts)
    },
  },
  "after an error status the next request is answered": nextCheck("status", { type: "status", status: 500, message: "Oops." }),
  "after a cut connection the next request is answered": nextCheck("cut", { type: "cut" }),
}

function statusCheck(statuses: readonly number[], isRetryable: boolean): Check {
  return {
    needs: ["status"],
    scripts: statuses.map((status) => [{ type: "status", status, message: "That did not work." }]),
    async verify(stage) {
      for (const status of statuses) {
        const { evidence } = modelFailure(await stage.read(), isRetryable)
        const isSame = evidence.status === undefined || evidence.status === status
        claim(isSame, `the evidence's status, if any, to be ${status}`, evidence)
      }
    },
  }
}

function nextCheck(need: ConformanceNeed, fault: Check["scripts"][number][number]): Check {
  return {
    needs: [need],
    scripts: [[fault], fine],
    async verify(stage) {
      modelFailure(await stage.read(), true)
      claimFine(await stage.read())
    },
  }
}

const stalling = [text("half"), { type: "stall" }] as const
const reason = () => new Error("enough")

/** Rules of aborted requests. As for all checks, every rejection must be handled. */
export const abortChecks: Checks = {
  "a signal that is aborted already asks nothing": {
    scripts: [fine],
    async verify(stage) {
      abortedAnswer(await stage.read(AbortSignal.abort(reason())))
      claim(stage.requests.length === 0, "no request", stage.requests)
    },
  },
  "an abort as the request goes out ends it as aborted": {
    scripts: [fine],
    async verify(stage) {
      const controller = new AbortController()
      const reading = stage.read(controller.signal)
      controller.abort(reason())
      abortedAnswer(await reading)
    },
  },
  "an abort while the first part is awaited ends the request at once": {
    needs: ["stall"],
    scripts: [[{ type: "stall" }]],
    async verify(stage) {
      const controller = new AbortController()
      const reading = stage.read(controller.signal)
      // If no request reaches the provider, nothing awaits this promise.
      reading.catch(() => undefined)
      await stage.requested(1)
      controller.abort(reason())
      abortedAnswer(await reading)
    },
  },
  "an abort in mid-message ends the request at once, and nothing comes after it": {
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
  "leaving the stream early ends it": {
    needs: ["stall"],
    scripts: [stalling],
    async verify(stage) {
      const stream = stage.open()
      claim((await stream.next()) !== undefined, "a first part", stream.parts)
      await stream.leave()
      claim((await stream.next()) === undefined, "the end after leaving", stream.parts)
    },
  },
  "after an abort the next request is answered": {
    needs: ["stall"],
    scripts: [stalling, fine],
    async verify(stage) {
      const controller = new AbortController()
      const stream = stage.open(controller.signal)
      await stream.next()
      controller.abort(reason())
      abortedAnswer(await stream.rest())
      claimFine(await stage.read())
    },
  },
}

/** All texts in a value: names and values of its own properties, also non-enumerable ones, to a depth of 12. */
function textsWithin(value: unknown, depth = 12, seen = new Set<unknown>()): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth === 0 || seen.has(value)) return []
  seen.add(value)
  const entries = value instanceof Map || value instanceof Headers ? [...value.entries()] : []
  const named = Object.getOwnPropertyNames(value).map((name) => [name, propertyOf(value, name)])
  return [...entries, ...named].flatMap((pair) => pair.flatMap((inner) => textsWithin(inner, depth - 1, seen)))
}

function propertyOf(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}
