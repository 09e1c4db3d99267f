import { readJsonLines } from "./corpora.ts"
import type { Json, Meant } from "./planner-tokens.ts"

type Answer = Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>>

const files = ["bfcl-simple-python", "bfcl-live-multiple"]

/** BFCL's right answers as a planner's calls, and its questions as a planner's answers. */
export function plannerTurns(): { readonly calls: readonly Meant[]; readonly answers: readonly Meant[] } {
  const calls = files.flatMap((file) =>
    readJsonLines<{ ground_truth: Answer[] }>(`tools/${file}-answers.jsonl`).flatMap(({ ground_truth: truth }) =>
      truth
        .flatMap((answer) => Object.entries(answer))
        .map(([tool, choices]) => ({ action: "tool" as const, tool, args: firstOf(choices) })),
    ),
  )
  const answers = files.flatMap((file) =>
    readJsonLines<{ question: { content: string }[][] }>(`tools/${file}.jsonl`).map(({ question }) => ({
      action: "finish" as const,
      message: question[0]?.at(-1)?.content ?? "",
    })),
  )
  return { calls, answers }
}

function firstOf(choices: Readonly<Record<string, readonly Json[]>>): { readonly [name: string]: Json } {
  return Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, values[0] ?? null]))
}
