import type { ModelTool } from "../../model/language-model.ts"
import { clausesOf } from "./clauses.ts"
import { type FilledCall, fillArguments } from "./fill-arguments.ts"
import { sharedScore, type Words, wordsOf } from "./words.ts"

/** A call the question asks for. */
export interface PlannedCall extends FilledCall {
  readonly tool: string
  /** How sure the choice is: higher is surer. */
  readonly score: number
}

/** Below this a shared word is chance. */
const minScore = 2

const maxCalls = 6

/** The calls a question asks for, in its order, at most six; the same for the same question and tools. */
export function planCalls(question: string, tools: readonly ModelTool[]): readonly PlannedCall[] {
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

/** Neighbouring clauses that want the same tool, or none, belong together. */
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

/** The tool that shares most with the text; of equal ones the first. */
function chooseTool(text: string, tools: readonly ModelTool[]): Choice | undefined {
  const said = wordsOf(text)
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, said, text) }))
    .filter(({ score }) => score >= minScore)
    .reduce<Choice | undefined>(surer, undefined)
}

/** Arithmetic asks for a calculator by itself; a time or a city only makes surer what the words say. */
function scoreOf(tool: ModelTool, said: Words, text: string): number {
  const shared = sharedScore(said, wordsOf(`${tool.name} ${tool.description}`))
  const { evidence, speaksForItself } = fillArguments(tool, text)
  return shared > 0 || speaksForItself ? shared + 2 * evidence : 0
}
