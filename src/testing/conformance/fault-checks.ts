import type { Check, ConformanceNeed } from "./check.ts"
import { claim, modelFailure, textOf, wholeAnswer } from "./claims.ts"
import { conformanceSecret } from "./conformance-secret.ts"
import { textsWithin } from "./texts-within.ts"

const answered = [
  { type: "text", text: "fine" },
  { type: "finish", reason: "stop" },
] as const

/** What a provider that fails becomes. */
export const faultChecks: readonly Check[] = [
  statusCheck("a refused key is a failure that no retry mends", [401, 403], false),
  statusCheck("an unknown model is a failure that no retry mends", [404], false),
  statusCheck("a request at fault is a failure that no retry mends", [400], false),
  statusCheck("a server's own fault is a failure that a retry may mend", [500, 502, 503], true),
  {
    name: "too many requests are a failure that a retry may mend, with the wait the provider asks for",
    needs: ["status"],
    scripts: [[{ type: "status", status: 429, message: "Slow down.", retryAfterMs: 2_000 }]],
    async verify(stage) {
      const { evidence } = modelFailure(await stage.read(), true)
      claim(evidence.retryAfterMs === 2_000, "evidence.retryAfterMs to be 2000", evidence)
    },
  },
  {
    name: "no error repeats the key",
    needs: ["status"],
    scripts: [401, 400, 500].map((status) => [{ type: "status", status, message: `Bad key: ${conformanceSecret}, refused.` }]),
    async verify(stage) {
      for (const isRetryable of [false, false, true]) {
        const texts = textsWithin(modelFailure(await stage.read(), isRetryable))
        claim(!texts.some((text) => text.includes(conformanceSecret)), "the key nowhere in the error", texts)
      }
    },
  },
  {
    name: "a connection cut before the first part is a failure that a retry may mend",
    needs: ["cut"],
    scripts: [[{ type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim(textOf(answer.parts) === "", "no text", answer.parts)
    },
  },
  {
    name: "a connection cut in mid-message is a failure that a retry may mend, never a finished answer",
    needs: ["cut"],
    scripts: [[{ type: "text", text: "half" }, { type: "cut" }]],
    async verify(stage) {
      const answer = await stage.read()
      modelFailure(answer, true)
      claim("half".startsWith(textOf(answer.parts)), "nothing but what was sent", answer.parts)
    },
  },
  nextCheck("after an error status the next request is answered", "status", { type: "status", status: 500, message: "Oops." }),
  nextCheck("after a cut connection the next request is answered", "cut", { type: "cut" }),
]

function statusCheck(name: string, statuses: readonly number[], isRetryable: boolean): Check {
  return {
    name,
    needs: ["status"],
    scripts: statuses.map((status) => [{ type: "status", status, message: "That did not work." }]),
    async verify(stage) {
      for (const status of statuses) {
        const { evidence } = modelFailure(await stage.read(), isRetryable)
        claim(
          evidence.status === undefined || evidence.status === status,
          `the evidence's status, if any, to be ${status}`,
          evidence,
        )
      }
    },
  }
}

function nextCheck(name: string, need: ConformanceNeed, fault: Check["scripts"][number][number]): Check {
  return {
    name,
    needs: [need],
    scripts: [[fault], answered],
    async verify(stage) {
      modelFailure(await stage.read(), true)
      const said = textOf(wholeAnswer(await stage.read()))
      claim(said === "fine", 'the text "fine"', said)
    },
  }
}
