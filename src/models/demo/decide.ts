import type { TurnFacts } from "../../model/language-model.ts"
import { type PlannedCall, planCalls } from "./plan.ts"
import type { Say } from "./sentences.ts"
import { smallTalkOf } from "./small-talk.ts"
import { sharedScore, wordsOf } from "./words.ts"

/** What the demo does next. */
export type DemoDecision =
  | { readonly action: "tool"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly action: "finish"; readonly message: string }

/** Longer questions are read up to here: rules find nothing more in them. */
const maxQuestionCharacters = 2_000

/** One step of a turn by rule: the next call that is still open and complete, else an answer from what is there. */
export function decide(facts: TurnFacts, say: Say): DemoDecision {
  const question = facts.question.slice(0, maxQuestionCharacters).toWellFormed()
  const calls = facts.prompt === "planner" ? planCalls(question, facts.tools) : []
  const known = answersFromPrestart(facts, question, calls, say)
  const open = known.length > 0 ? [] : openCalls(calls, facts)
  const next = open.find(({ missing }) => missing.length === 0)
  if (next) return { action: "tool", tool: next.tool, args: next.args }
  const lines = [
    ...known,
    ...facts.runs.map((run) => answerFromRun(run, say)),
    ...open.map(({ tool, missing }) => say(["ask"], { tool, missing: missing.join(", ") })),
  ].filter((line) => line !== "")
  return { action: "finish", message: lines.length > 0 ? [...new Set(lines)].join("\n") : smallTalk(facts, question, say) }
}

/** The n-th call of a tool is done when the tool has run n times, however it ended: nothing is called for ever. */
function openCalls(calls: readonly PlannedCall[], { runs }: TurnFacts): readonly PlannedCall[] {
  return calls.filter((call, at) => {
    const earlier = calls.slice(0, at).filter(({ tool }) => tool === call.tool).length
    return runs.filter(({ tool }) => tool === call.tool).length <= earlier
  })
}

/** Prestart results that share more with the question than any tool does: no call is needed then. */
function answersFromPrestart(facts: TurnFacts, question: string, calls: readonly PlannedCall[], say: Say): readonly string[] {
  const said = wordsOf(question)
  // A call without arguments would only repeat what the same tool has said already.
  const others = calls.filter(
    ({ tool, args }) => Object.keys(args).length > 0 || facts.prestart.every((ran) => ran.tool !== tool),
  )
  const toBeat = Math.max(2, ...others.map(({ score }) => score))
  return facts.prestart
    .filter(({ tool, result }) => sharedScore(said, wordsOf(`${tool} ${result.slice(0, maxQuestionCharacters)}`)) >= toBeat)
    .map(({ tool, result }) => answerFromRun({ tool, args: {}, result, failed: false }, say))
}

function answerFromRun({ tool, args, result, failed }: TurnFacts["runs"][number], say: Say): string {
  if (failed) return say(["failed"], { tool, result })
  return say([`answer-${tool}`, "answer"], { ...textsOf(args), tool, result: sentenceOf(result) })
}

/** What a template may say of a call; a name it asks for is always there. */
function textsOf(args: unknown): Readonly<Record<string, string>> {
  const given = typeof args === "object" && args !== null ? Object.entries(args) : []
  const none = { expression: "", title: "", schedule_time: "" }
  return {
    ...none,
    ...Object.fromEntries(given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])),
  }
}

/** A result that ends in a full stop gets no second one. */
function sentenceOf(result: string): string {
  return result.trim().replace(/[。.]$/, "")
}

function smallTalk(facts: TurnFacts, question: string, say: Say): string {
  const kind = smallTalkOf(question)
  const tools = facts.tools.map(({ name }) => name).join(", ")
  if (kind) return say([kind], { speaker: facts.speaker, tools })
  const said = wordsOf(question)
  const memory = facts.memories.find((text) => sharedScore(said, wordsOf(text.slice(0, maxQuestionCharacters))) >= 2)
  return memory === undefined ? say(["offline"], { tools }) : say(["memory"], { memory })
}
