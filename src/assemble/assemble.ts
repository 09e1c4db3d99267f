import type { CountedTool, TokenCounter } from "../core/ports.ts"
import type { Assembly, Cut } from "../core/span.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import { combineInjections } from "../layers/combine-injections.ts"
import type { TurnState } from "../layers/turn-state.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { assembleInjections } from "./assemble-injections.ts"
import type { WaterMarks } from "./fit/water-marks.ts"

/** How a stack becomes a request. */
export interface AssembleOptions {
  /** A shipped dialect's name, or one of your own. Default `layered`. */
  readonly dialect?: string | Dialect
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  /** The turn at hand: question, history, tools, … */
  readonly turn?: TurnState
  /** Which roles the model has beside `system`, `user` and `assistant`. */
  readonly roles?: { readonly developer?: boolean }
  /** Default: an estimate, and the assembly says that it is one. */
  readonly counter?: TokenCounter
  /** Tokens that the messages may have. Over budget, injections shrink by rank (S13). */
  readonly budgetTokens?: number
  /** What an earlier request of the same turn cut; absent in its first one. */
  readonly cut?: Cut
  /** How history gives way. */
  readonly history?: WaterMarks
  /** Native tools that go with the request; their schemas count as overhead. */
  readonly tools?: readonly CountedTool[]
}

/**
 * Assembles a request from a stack and a turn: compose, then fit. Pure; the result is plain JSON.
 * @throws PromptStrataError `prompt-missing` for an unknown dialect or prompt, `budget` for an impossible budget.
 */
export function assemble(stack: PromptStack, options: AssembleOptions = {}): Assembly {
  const { dialect = "layered", locale = "en", prompt = "planner", turn, roles, ...rest } = options
  const compiled = typeof dialect === "string" ? shippedDialect(dialect, locale) : dialect
  return assembleInjections(combineInjections(stack, turn, compiled), {
    dialect: compiled,
    prompt,
    developerRole: roles?.developer ?? false,
    ...rest,
  })
}
