import type { ModelPart } from "../../model/model-part.ts"
import type { Usage } from "../../model/usage.ts"
import type { Check } from "./check.ts"
import { claim, wholeAnswer } from "./claims.ts"

const full: Usage = { inputTokens: 9, inputCacheReadTokens: 4, outputTokens: 5, reasoningTokens: 2 }
const scant: Usage = { inputTokens: 9, outputTokens: 0 }

/** What a report of tokens becomes. */
export const usageChecks: readonly Check[] = [
  {
    name: "the tokens that the provider reports arrive once",
    needs: ["usage"],
    scripts: [
      [
        { type: "text", text: "so" },
        { type: "usage", usage: full },
        { type: "finish", reason: "stop" },
      ],
    ],
    async verify(stage) {
      const reports = reportsOf(wholeAnswer(await stage.read()))
      claim(reports.length === 1 && isEqual(reports[0], full), `one report of ${JSON.stringify(full)}`, reports)
    },
  },
  {
    name: "zero tokens are zero, and what the provider does not say is absent",
    needs: ["usage", "absent-counts"],
    scripts: [
      [
        { type: "text", text: "so" },
        { type: "usage", usage: scant },
        { type: "finish", reason: "stop" },
      ],
      [
        { type: "text", text: "so" },
        { type: "finish", reason: "stop" },
      ],
    ],
    async verify(stage) {
      const said = reportsOf(wholeAnswer(await stage.read()))
      claim(said.length === 1 && isEqual(said[0], scant), `one report of ${JSON.stringify(scant)}`, said)
      const unsaid = reportsOf(wholeAnswer(await stage.read()))
      claim(
        unsaid.every((report) => isEqual(report, {})),
        "no counts where the provider reports none",
        unsaid,
      )
    },
  },
]

function reportsOf(parts: readonly ModelPart[]): readonly Usage[] {
  return parts.flatMap((part) => (part.type === "usage" ? [part.usage] : []))
}

function isEqual(a: Usage | undefined, b: Usage): boolean {
  const counts = (usage: Usage = {}) =>
    Object.entries(usage)
      .filter(([, count]) => count !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify(counts(a)) === JSON.stringify(counts(b))
}
