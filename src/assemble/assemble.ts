import type { CountedTool, TokenCounter } from "../core/ports.ts"
import type { Assembly, CutRecord } from "../core/span.ts"
import { type Injection, isEmptyValue } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { promptFile } from "../dialect/render-notice.ts"
import { shippedDialect } from "../dialect/shipped.ts"
import { combineInjections } from "../layers/combine-injections.ts"
import type { TurnState } from "../layers/turn-state.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { assembledBefore } from "./assembly-memo.ts"
import { type CleanInjection, cleanInjection } from "./clean-injections.ts"
import { decide } from "./decide.ts"
import { countSpans } from "./draft/count.ts"
import { fit } from "./fit/fit.ts"
import type { KeyPlaces } from "./fit/fit-state.ts"
import { dialectNotices } from "./fit/shrink.ts"
import type { WaterMarks } from "./fit/water-marks.ts"
import { compose } from "./print/prompt-printer.ts"
import { messageCounter } from "./tokens/message-counter.ts"
import { roughCounter } from "./tokens/rough-counter.ts"

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
  readonly cut?: CutRecord
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

/** Options of {@link assembleInjections}. */
interface AssembleInjectionsOptions {
  readonly dialect: Dialect
  readonly prompt: string
  readonly developerRole?: boolean
  /** Default: an estimate that says it is one. */
  readonly counter?: TokenCounter
  /** Tokens the request may have, after what is reserved for the answer was taken off. */
  readonly budgetTokens?: number
  /** What an earlier step of the same turn cut; absent in its first one. */
  readonly cut?: CutRecord
  /** How history gives way. */
  readonly history?: WaterMarks
  /** Native tools that go with the request; their schemas count as overhead. */
  readonly tools?: readonly CountedTool[]
}

/**
 * Clean, compose, fit, count: injections in, a request out. Pure. Of several injections of one key the last enabled one
 * that is not empty counts. An input that was assembled lately gives the very same assembly, and one at another budget is
 * fitted anew from blocks that are composed and texts that are counted already.
 */
export function assembleInjections(given: readonly Injection[], options: AssembleInjectionsOptions): Assembly {
  const { dialect, counter = roughCounter, ...rest } = options
  return assembledBefore(given, { dialect, counter, options: JSON.stringify(rest) }, (standing) =>
    assembleAnew(standing, options),
  )
}

function assembleAnew(given: readonly Injection[], options: AssembleInjectionsOptions): Assembly {
  const { dialect, prompt, developerRole = false, counter = roughCounter, budgetTokens, cut, history = {}, tools } = options
  const counting = { counter, ...(tools ? { tools } : {}) }
  const file = promptFile(dialect, prompt)
  const { injections, places, cleaned } = liveInjections(given)
  const fitted = fit(injections, {
    places,
    compose: (list) => compose(list, { dialect, prompt, developerRole }),
    file,
    counting,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    notices: dialectNotices(dialect),
    ...(cut ? { cut } : {}),
    history,
  })
  const counted = countSpans(fitted.draft, counting)
  return {
    version: 1,
    ...counted,
    exact: counter.exact,
    decisions: decide(given, {
      places,
      file,
      fitted,
      spans: counted.spans,
      counter: messageCounter(counter),
    }),
    cut: fitted.cut,
    ...(fitted.prefixMoved ? { prefixMoved: fitted.prefixMoved } : {}),
    sanitised: cleaned
      .filter(({ injection }) => injection.enabled && !file.omit.includes(injection.key))
      .map(({ injection, removed, kinds }) => ({ key: injection.key, removed, kinds })),
  }
}

/** What of the given injections a prompt is made from. */
interface LiveInjections {
  /** Clean, one of each key: in the place of its first one, with the value of its last one. */
  readonly injections: readonly Injection[]
  readonly places: KeyPlaces
  /** Those of which something was taken out. */
  readonly cleaned: readonly CleanInjection[]
}

/** Cleans injections; of several of one key the last enabled one that is not empty counts. */
export function liveInjections(given: readonly Injection[]): LiveInjections {
  const clean: Injection[] = []
  const cleaned: CleanInjection[] = []
  const places = new Map<string, number>()
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (!injection) break
    const result = cleanInjection(injection)
    if (result !== undefined && result.removed > 0) cleaned.push(result)
    const { key, enabled, content } = result?.injection ?? injection
    clean.push(result?.injection ?? injection)
    if (enabled && !isEmptyValue(content)) places.set(key, place)
  }
  const isEach = places.size === given.length
  return {
    injections: isEach ? clean : Array.from(places.values(), (place) => clean[place]).filter((one) => one !== undefined),
    places: { of: places, count: given.length },
    cleaned,
  }
}
