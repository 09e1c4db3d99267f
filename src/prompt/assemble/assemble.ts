import { checkOptions, checkShape, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { findTimeZone } from "../../core/memo.ts"
import type { Assembly } from "../../core/span.ts"
import type { Injection } from "../../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { dialectWith, nameLooks, shippedDialect } from "../dialect/shipped.ts"
import { combineInjections } from "../layers/combine-injections.ts"
import { knownNames } from "../layers/turn-injections.ts"
import turnShape from "../layers/turn-shape.json" with { type: "json" }
import type { TurnState } from "../layers/turn-state.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import optionShape from "./assemble-options.json" with { type: "json" }
import { type AssembleRequestOptions, type AssemblyLimits, assembleRequest } from "./assemble-request.ts"
import { memoOf } from "./assembler.ts"
import { fit } from "./fit/fit.ts"

/** Says how a stack becomes a request. */
export interface AssembleOptions extends AssemblyLimits {
  /** The name of a shipped dialect, or a compiled dialect of your own. Default `layered`. */
  readonly dialect?: string | Dialect
  /** The locale of a shipped dialect. Default `en`. */
  readonly locale?: string
  /** The name of a prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  /** The turn at hand: question, history, tools, … */
  readonly turn?: TurnState
  /** The roles that the model has beside `system`, `user` and `assistant`. */
  readonly roles?: { readonly developer?: boolean }
}

/**
 * Assembles a request from a stack and a turn: compose, fit, count. The result is plain JSON and depends on nothing else. An assembler
 * changes only the work that it takes.
 * @throws PromptStrataError `usage` for an unknown option, `prompt-missing` for an unknown dialect or prompt, `budget` for a budget that cannot be met.
 */
export function assemble(stack: PromptStack, options: AssembleOptions = {}): Assembly {
  checkType("stack.items of assemble", stack?.items, "function")
  checkOptions("assemble", options, "dialect locale prompt turn roles counter budgetTokens cut history tools assembler")
  checkShape("options of assemble", options, optionShape)
  const { dialect = "layered", locale = "en", prompt = "planner", turn, roles, ...limits } = options
  if (typeof dialect !== "string") checkShape("the dialect of assemble", dialect, { files: "object", markers: "object" })
  const compiled = dialectWith(prompt, typeof dialect === "string" ? shippedDialect(dialect, locale) : dialect)
  try {
    const { injections, reserved } = combineInjections(stack, turn, { dialect: compiled, memo: memoOf(limits.assembler) })
    return assembleInjections(injections, {
      dialect: compiled,
      prompt,
      reserved,
      developerRole: roles?.developer ?? false,
      names: turn && knownNames(turn),
      looks: turn && nameLooks(),
      ...limits,
    })
  } catch (thrown) {
    if (turn && !PromptStrataError.isInstance(thrown)) checkTurn(turn)
    throw thrown
  }
}

/** Throws `usage` for a turn of another form, of plain JavaScript. To look at all of it costs more than many an assembly, so only a failed one is looked at. */
function checkTurn(turn: TurnState): void {
  checkShape("the turn of assemble", turn, turnShape)
  const { timeZone } = turn
  if (timeZone === undefined || findTimeZone(timeZone) !== undefined) return
  const message = `expected a time zone such as "Asia/Shanghai" in the turn of assemble, found "${timeZone}".`
  throw new PromptStrataError("usage", message)
}

/** Assembles a request from injections as {@link assembleRequest} does, within any limits. */
export function assembleInjections(given: readonly Injection[], options: AssembleRequestOptions): Assembly {
  return assembleRequest(given, { ...options, fit })
}
