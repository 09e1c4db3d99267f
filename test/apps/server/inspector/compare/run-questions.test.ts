import { expect, test } from "vitest"
import { runQuestions } from "../../../../../src/apps/server/inspector/compare/questions/run-questions.ts"
import type { TurnRecord } from "../../../../../src/apps/server/inspector/turn-record.ts"

const answered = {
  ...{ answer: "x", outcome: { state: "answered", stopReason: "finish" }, requests: [], usage: {} },
} as unknown as TurnRecord

/** Runs three questions, of which the reader leaves at a moment. Tells what was asked, judged and told. */
async function leftAt(moment: "never" | "asked" | "judged"): Promise<readonly string[]> {
  const leaving = new AbortController()
  const seen: string[] = []
  await runQuestions({
    questions: ["One?", "Two?", "Three?"].map((question, at) => ({ line: at + 1, question })),
    async ask({ question }) {
      seen.push(`asked ${question}`)
      if (moment === "asked") leaving.abort()
      return [answered, answered]
    },
    judge({ question }) {
      seen.push(`judged ${question}`)
      if (moment === "judged") leaving.abort()
      return 1
    },
    random: () => 0,
    signal: leaving.signal,
    onResult: ({ question }) => void seen.push(`told ${question}`),
  })
  return seen.sort()
}

test("questions are asked, judged and told, and nothing more of it once nobody reads", async () => {
  const all = ["One?", "Three?", "Two?"]
  expect(await leftAt("never")).toEqual(
    ["asked", "judged", "told"].flatMap((what) => all.map((question) => `${what} ${question}`)),
  )
  expect(await leftAt("asked")).toEqual(["asked One?"])
  expect((await leftAt("judged")).filter((step) => step.startsWith("told"))).toEqual([])
})
