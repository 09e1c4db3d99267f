import type { CountedTool, TokenCounter } from "../core/ports.ts"
import type { Assembly, Cut } from "../core/span.ts"
import type { Injection } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { promptFile } from "../dialect/render-notice.ts"
import { assembledBefore } from "./assembly-memo.ts"
import { decide } from "./decide.ts"
import { countSpans } from "./draft/count.ts"
import { dialectNotices } from "./fit/dialect-notices.ts"
import { fit } from "./fit/fit.ts"
import type { WaterMarks } from "./fit/water-marks.ts"
import { liveInjections } from "./live-injections.ts"
import { compose } from "./print/compose.ts"
import { roughCounter } from "./rough-counter.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** Options of {@link assembleInjections}. */
export interface AssembleInjectionsOptions {
  readonly dialect: Dialect
  readonly prompt: string
  readonly developerRole?: boolean
  /** Default: an estimate that says it is one. */
  readonly counter?: TokenCounter
  /** Tokens the request may have, after what is reserved for the answer was taken off. */
  readonly budgetTokens?: number
  /** What an earlier step of the same turn cut; absent in its first one. */
  readonly cut?: Cut
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
