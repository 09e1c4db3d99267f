import type { ModelTool } from "../../../core/model/language-model.ts"
import { candidatesFor, parametersOf, shownName } from "./parameter-values.ts"
import { sharedScore, type Words, wordsOf } from "./vocabulary.ts"
import words from "./words.json" with { type: "json" }

/** A call that a question asks for. */
export interface PlannedCall extends FilledCall {
  readonly tool: string
  /** How well the tool fits the question. */
  readonly score: number
}

/** With a lower score, shared words are chance. */
const minScore = 2

const maxCalls = 6

/** Plans the calls that a question asks for, in its order, at most six. A tool that takes a request gets the whole question. Deterministic. */
export function planCalls(question: string, tools: readonly ModelTool[]): readonly PlannedCall[] {
  const coarse = tools.find((tool) => parametersOf(tool).every(({ name, required }) => name === "request" && required))
  if (coarse && parametersOf(coarse).length > 0)
    return [{ tool: coarse.name, args: { request: question }, missing: [], score: minScore }]
  return groupsOf(question, tools).flatMap(callsOf).slice(0, maxCalls)
}

function callsOf({ text, choice }: Group): readonly PlannedCall[] {
  if (!choice) return []
  const { tool, score } = choice
  return fillArguments(tool, text).calls.map(({ args, missing }) => ({ tool: tool.name, args, missing, score }))
}

interface Choice {
  readonly tool: ModelTool
  readonly score: number
}

interface Group {
  readonly text: string
  readonly choice: Choice | undefined
}

/** Joins neighbouring clauses that ask for the same tool, or for none. */
function groupsOf(question: string, tools: readonly ModelTool[]): readonly Group[] {
  const groups: Group[] = []
  for (const clause of clausesOf(question)) {
    const choice = chooseTool(clause, tools)
    const last = groups.at(-1)
    const joins = last && (!choice || !last.choice || last.choice.tool === choice.tool)
    if (!joins) groups.push({ text: clause, choice })
    else groups[groups.length - 1] = { text: last.text + clause, choice: surer(last.choice, choice) }
  }
  return groups
}

function surer(a: Choice | undefined, b: Choice | undefined): Choice | undefined {
  return a && b ? (b.score > a.score ? b : a) : (a ?? b)
}

/** The tool with the highest score for the text; of equals the first. */
function chooseTool(text: string, tools: readonly ModelTool[]): Choice | undefined {
  const said = wordsOf(text)
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, said, text) }))
    .filter(({ score }) => score >= minScore)
    .reduce<Choice | undefined>(surer, undefined)
}

/** Arithmetic alone asks for a calculator. A time or a city only counts in addition to shared words. */
function scoreOf(tool: ModelTool, said: Words, text: string): number {
  const shared = sharedScore(said, wordsOf(`${tool.name} ${tool.description}`))
  const { evidence, speaksForItself } = fillArguments(tool, text)
  return shared > 0 || speaksForItself ? shared + 2 * evidence : 0
}

/** The text after the last of them belongs to it. */
const maxClauses = 12

/** Splits a text into parts that may each ask for something. Joined, they are the text. */
function clausesOf(text: string): readonly string[] {
  const clauses: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const joint = words.joints.find((word) => text.startsWith(word, at))
    if (joint !== undefined && at > from && clauses.length < maxClauses - 1) {
      clauses.push(text.slice(from, at + joint.length))
      from = at + joint.length
    }
    at += joint?.length ?? 1
  }
  return [...clauses, text.slice(from)]
}

/** A call with the arguments that a text gives. */
interface FilledCall {
  readonly args: Readonly<Record<string, unknown>>
  /** Names, for people, of required parameters that the text does not give. */
  readonly missing: readonly string[]
}

/** The calls of a tool that a text asks for. */
interface Filling {
  readonly calls: readonly FilledCall[]
  /** The number of parameters found by their form: an expression, a time, a time zone. */
  readonly evidence: number
  /** True if one of them fits no other kind of tool. */
  readonly speaksForItself: boolean
}

/** Makes one call of the tool, or one for each place or expression if the text names several. */
function fillArguments(tool: ModelTool, text: string): Filling {
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
