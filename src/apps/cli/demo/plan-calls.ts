import type { ModelTool } from "../../../core/model/language-model.ts"
import { candidatesFor, parametersOf, shownName } from "./parameter-values.ts"
import { sharedScore, type Words, wordsOf } from "./vocabulary.ts"

/** A call that a question asks for. */
export interface PlannedCall extends FilledCall {
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

interface Choice {
  readonly tool: ModelTool
  readonly score: number
}

/** The tool with the highest score for the text; of equals the first. */
function chooseTool(text: string, tools: readonly ModelTool[]): Choice | undefined {
  const said = wordsOf(text)
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, said, text) }))
    .filter(({ score }) => score >= minScore)
    .reduce<Choice | undefined>((best, next) => (best && best.score >= next.score ? best : next), undefined)
}

/** Arithmetic alone asks for a calculator. A time or a city only counts in addition to shared words. */
function scoreOf(tool: ModelTool, said: Words, text: string): number {
  const shared = sharedScore(said, wordsOf(`${tool.name} ${tool.description}`))
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
