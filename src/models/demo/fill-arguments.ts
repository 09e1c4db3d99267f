import type { ModelTool } from "../../model/language-model.ts"
import { candidatesFor } from "./candidates.ts"
import { parametersOf, shownName } from "./parameters.ts"

/** A call as far as a text fills it. */
export interface FilledCall {
  readonly args: Readonly<Record<string, unknown>>
  /** Required parameters that the text does not say, in words for people. */
  readonly missing: readonly string[]
}

/** The calls of a tool that a text holds, and how much speaks for the tool. */
export interface Filling {
  readonly calls: readonly FilledCall[]
  /** How many parameters were found by what they look like: an expression, a time, a zone. */
  readonly evidence: number
  /** True when one of these can be meant for no other kind of tool. */
  readonly speaksForItself: boolean
}

/** One call of the tool, or one for each place or expression where the text names several. */
export function fillArguments(tool: ModelTool, text: string): Filling {
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
