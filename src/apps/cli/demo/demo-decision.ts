import type { ModelTool, TurnFacts } from "../../../core/model/language-model.ts"
import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import type { PromptSource } from "../../../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../../../prompt/dialect/shipped-files.ts"
import type { TemplateValues } from "../../../prompt/template/render.ts"
import { renderTemplate } from "../../../prompt/template/render-template.ts"
import { candidatesFor, findExpressions, parametersOf, shownName } from "./parameter-values.ts"
import { type Subject, sharedScore, subjectOf } from "./vocabulary.ts"

/** A call that a question asks for. */
interface PlannedCall extends FilledCall {
  readonly tool: string
  /** How well the tool fits the question. */
  readonly score: number
}

/** With a lower score, shared words are chance. */
const minScore = 2

const maxCalls = 6

/**
 * Plans the calls that a question asks for: of the tool that fits it best, one for each place or expression that it names, at most six. A
 * tool that takes a request gets the whole question. Deterministic.
 */
export function planCalls(question: string, tools: readonly ModelTool[]): readonly PlannedCall[] {
  const coarse = tools.find((tool) => parametersOf(tool).every(({ name, required }) => name === "request" && required))
  if (coarse && parametersOf(coarse).length > 0)
    return [{ tool: coarse.name, args: { request: question }, missing: [], score: minScore }]
  const choice = chooseTool(question, tools)
  if (!choice) return []
  const { calls } = fillArguments(choice.tool, question)
  return calls.slice(0, maxCalls).map((call) => ({ ...call, tool: choice.tool.name, score: choice.score }))
}

/** The tool with the highest score for the text; of equals the first. */
function chooseTool(text: string, tools: readonly ModelTool[]) {
  const said = subjectOf(text)
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, said, text) }))
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => b.score - a.score)
    .at(0)
}

/** Arithmetic alone asks for a calculator. A time or a city only counts in addition to shared words. */
function scoreOf(tool: ModelTool, said: Subject, text: string): number {
  const shared = sharedScore(said, subjectOf(`${tool.name} ${tool.description}`))
  if (shared === 0 && findExpressions(text).length === 0) return 0
  const { evidence, speaksForItself } = fillArguments(tool, text)
  return shared > 0 || speaksForItself ? shared + 2 * evidence : 0
}

/** A call with the arguments that a text gives. */
interface FilledCall {
  readonly args: Readonly<Record<string, unknown>>
  /** Names, for people, of required parameters that the text does not give. */
  readonly missing: readonly string[]
}

/** The calls of a tool that a text asks for. */
interface FilledCalls {
  readonly calls: readonly FilledCall[]
  /** The number of parameters found by their form: an expression, a time, a time zone. */
  readonly evidence: number
  /** True if one of them fits no other kind of tool. */
  readonly speaksForItself: boolean
}

/** Makes one call of the tool, or one for each place or expression if the text names several. */
function fillArguments(tool: ModelTool, text: string): FilledCalls {
  const found = parametersOf(tool).map((parameter) => ({ parameter, ...candidatesFor(parameter, tool, text) }))
  const count = Math.max(1, ...found.map(({ parameter, values }) => (parameter.required ? values.length : 0)))
  const missing = found.filter(({ parameter, values }) => parameter.required && values.length === 0)
  const evidence = found.filter(({ values, evidence }) => evidence !== undefined && values.length > 0)
  return {
    calls: Array.from({ length: count }, (_, at) => ({
      args: Object.fromEntries(
        found.filter(({ values }) => values.length > 0).map(({ parameter, values }) => [parameter.name, values[at] ?? values[0]]),
      ),
      missing: missing.map(({ parameter }) => shownName(parameter)),
    })),
    evidence: evidence.length,
    speaksForItself: evidence.some(({ evidence }) => evidence === "certain"),
  }
}

import words from "./words.json" with { type: "json" }

/** The next step of the demo. */
export type DemoDecision =
  | { readonly action: "tool"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly action: "finish"; readonly message: string; readonly tool?: string; readonly args?: object }

/** The rest of a longer question is ignored. The rules find nothing more in it. */
const maxQuestionCharacters = 2_000
/** A longer result is told shortened: a result that holds earlier answers would grow with each of them. */
const maxResultCharacters = 600

/** Decides one step of a turn: the next planned call with all its arguments, else an answer from the results so far. */
export function demoDecision(facts: TurnFacts, say: Say): DemoDecision {
  const question = facts.question.slice(0, maxQuestionCharacters).toWellFormed()
  if (facts.wake) return { action: "finish", message: say(["wake"], { reason: question }) }
  const calls = facts.prompt === "planner" && smallTalkOf(question) === undefined ? planCalls(question, facts.tools) : []
  const known = answersFromPrestart(facts, question, calls, say)
  const open = known.length > 0 ? [] : openCalls(calls, facts)
  const next = open.find(({ missing }) => missing.length === 0)
  if (next) return { action: "tool", tool: next.tool, args: next.args }
  const lines = [
    ...known,
    ...facts.runs.map((run) => answerFromRun(run, say)),
    ...open.map(({ tool, missing }) => say(["ask"], { tool, missing: missing.join(", ") })),
  ].filter((line) => line !== "")
  const message = lines.length > 0 ? [...new Set(lines)].join("\n") : smallTalk(facts, question, say)
  // The demo uses nothing of a workspace, and says so where it must.
  const owesReport = facts.tools.some(({ name }) => name === "report_use")
  return owesReport ? { action: "finish", message, tool: "report_use", args: {} } : { action: "finish", message }
}

/** The planned calls that did not run yet. A call that failed counts as run, so that no tool is called for ever. */
function openCalls(calls: readonly PlannedCall[], { runs }: TurnFacts): readonly PlannedCall[] {
  return calls.filter((call, at) => {
    const earlier = calls.slice(0, at).filter(({ tool }) => tool === call.tool).length
    return runs.filter(({ tool }) => tool === call.tool).length <= earlier
  })
}

/** Answers from prestart results that share more with the question than any tool does. No call is needed then. */
function answersFromPrestart(facts: TurnFacts, question: string, calls: readonly PlannedCall[], say: Say): readonly string[] {
  const said = subjectOf(question)
  // A call without arguments would only repeat the prestart of the same tool.
  const others = calls.filter(
    ({ tool, args }) => Object.keys(args).length > 0 || facts.prestart.every((ran) => ran.tool !== tool),
  )
  const toBeat = Math.max(2, ...others.map(({ score }) => score))
  return facts.prestart
    .filter(({ tool, result }) => sharedScore(said, subjectOf(`${tool} ${result.slice(0, maxQuestionCharacters)}`)) >= toBeat)
    .map(({ tool, result }) => answerFromRun({ tool, args: {}, result, failed: false }, say))
}

function answerFromRun({ tool, args, result, failed }: TurnFacts["runs"][number], say: Say): string {
  if (failed) return say(["failed"], { tool, result })
  return say([`answer-${tool}`, "answer"], { ...textsOf(args), tool, result: sentenceOf(result) })
}

/** The arguments of a call as texts for a template. Names that templates use are always present. */
function textsOf(args: unknown): Readonly<Record<string, string>> {
  const given = typeof args === "object" && args !== null ? Object.entries(args) : []
  const none = { expression: "", title: "", schedule_time: "" }
  return {
    ...none,
    ...Object.fromEntries(given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])),
  }
}

/** Shortens a result, and removes the full stop at its end, because the template adds one. */
function sentenceOf(result: string): string {
  return shorten(result, maxResultCharacters).replace(/[。.]$/, "")
}

function smallTalk(facts: TurnFacts, question: string, say: Say): string {
  const kind = smallTalkOf(question)
  const tools = facts.tools.map(({ name }) => name).join(", ")
  if (kind) return say([kind], { speaker: facts.speaker, tools })
  const said = subjectOf(question)
  const memory = facts.memories.find((text) => sharedScore(said, subjectOf(text.slice(0, maxQuestionCharacters))) >= 2)
  return memory === undefined ? say(["offline"], { tools }) : say(["memory"], { memory })
}

/** Polite words that ask for nothing. */
const { politeness } = words

/** Returns `greeting` or `thanks` for a text that is nothing else. The agent's name may follow. */
function smallTalkOf(text: string): keyof typeof politeness | undefined {
  const bare = text
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, " ")
    .trim()
  if (leaves(bare, politeness.greeting)) return "greeting"
  return leaves(bare, politeness.thanks) ? "thanks" : undefined
}

const maxNameCharacters = 12

/** True if the text consists of these words, and perhaps a name after them. */
function leaves(text: string, words: readonly string[]): boolean {
  let rest = text
  for (;;) {
    const word = words.find((candidate) => rest.startsWith(candidate) && !/^[a-z]/.test(rest.slice(candidate.length)))
    if (word === undefined) break
    rest = rest.slice(word.length).trim()
  }
  return rest.length < text.length && (rest === "" || (rest.length <= maxNameCharacters && /^[a-z]+$/.test(rest)))
}

/** Fills in the first of the named files in `prompts/demo/` that exists. */
type Say = (names: readonly string[], values: TemplateValues) => string

/** The sentences of one language. */
export function sentencesOf(locale: DemoLocale, prompts: readonly PromptSource[] = shippedPrompts("demo", locale)): Say {
  const bodies = new Map(prompts.map(({ path, body }) => [path, body]))
  return (names, values) => {
    const body = names.map((name) => bodies.get(`demo/${locale}/${name}.md`)).find((text) => text !== undefined)
    return body === undefined ? "" : renderTemplate(body, values)
  }
}

/** The languages the demo speaks. */
export type DemoLocale = "zh-CN" | "en"

/** The language to answer in: that of the question, else the one that was set. */
export function languageOf(question: string, preferred: DemoLocale): DemoLocale {
  if (/\p{Script=Han}/u.test(question)) return "zh-CN"
  return /[a-z]{2}/i.test(question) ? "en" : preferred
}
