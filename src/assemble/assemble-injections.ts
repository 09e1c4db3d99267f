import type { TokenCounter } from "../core/ports.ts"
import type { Assembly, Cut } from "../core/span.ts"
import { type Injection, isEmptyValue } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { promptFile } from "../dialect/render-notice.ts"
import { cleanInjection } from "./clean-injections.ts"
import { compose } from "./compose.ts"
import { countSpans } from "./count.ts"
import { decide } from "./decide.ts"
import { dialectNotices } from "./dialect-notices.ts"
import { fit } from "./fit.ts"
import { findPrefixes } from "./prefixes.ts"
import { roughCounter } from "./rough-counter.ts"

/** Options of {@link assembleInjections}. */
export interface AssembleInjectionsOptions {
  readonly dialect: Dialect
  readonly prompt: string
  readonly developerRole?: boolean
  /** Default: an estimate that says it is one. */
  readonly counter?: TokenCounter
  /** Tokens the request may have, after what is reserved for the answer was taken off. */
  readonly budgetTokens?: number
  /** What an earlier step of the same turn cut. */
  readonly cut?: Cut
}

/**
 * Clean, compose, fit, count: injections in, a request out. Pure. Of several injections of one key the last enabled one
 * that is not empty counts.
 */
export function assembleInjections(given: readonly Injection[], options: AssembleInjectionsOptions): Assembly {
  const { dialect, prompt, developerRole = false, counter = roughCounter, budgetTokens, cut = {} } = options
  const file = promptFile(dialect, prompt)
  const cleaned = given.map((injection) => ({ given: injection, ...cleanInjection(injection) }))
  const live = new Map(
    cleaned
      .filter(({ injection }) => injection.enabled && !isEmptyValue(injection.content))
      .map((clean) => [clean.injection.key, clean]),
  )
  const fitted = fit([...live.values().map(({ injection }) => injection)], {
    compose: (list) => compose(list, { dialect, prompt, developerRole }),
    counter,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    notices: dialectNotices(dialect),
    cut,
  })
  const counted = countSpans(fitted.draft, counter)
  return {
    version: 1,
    ...counted,
    exact: counter.exact,
    prefixes: findPrefixes(counted.messages, counted.spans),
    decisions: decide(given, {
      live: new Map(live.entries().map(([key, clean]) => [key, clean.given])),
      file,
      fitted,
      spans: counted.spans,
      counter,
    }),
    cut: fitted.cut,
    sanitised: cleaned
      .filter(({ injection, removed }) => removed > 0 && injection.enabled && !file.omit.includes(injection.key))
      .map(({ injection, removed, kinds }) => ({ key: injection.key, removed, kinds })),
  }
}
