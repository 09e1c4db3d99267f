import { invariant } from "../../core/errors.ts"
import { withLazyMembers } from "../../core/lazy-pattern.ts"
import { type Memo, memoKind } from "../../core/memo.ts"
import { type CountedTool, roughCounter, type TokenCounter } from "../../core/ports.ts"
import type { Assembly, CutRecord } from "../../core/span.ts"
import { type Injection, isEmptyValue } from "../../core/value.ts"
import { type Dialect, promptFile } from "../dialect/dialect.ts"
import type { Look } from "../encode/fold.ts"
import type { Markers } from "../encode/lines.ts"
import type { KnownNames } from "../encode/named-lines.ts"
import { slotOf } from "../layers/combine-injections.ts"
import { type Assembler, memoOf, noteUse } from "./assembler.ts"
import { assembledBefore, sameData, sizeOf } from "./assembly-memo.ts"
import { type CleanInjection, cleanInjection } from "./clean-injections.ts"
import { decide } from "./decide.ts"
import { countMessages } from "./draft/count.ts"
import type { KeyPlaces } from "./fit/draft-items.ts"
import type { FitOptions, FittedDraft } from "./fit/fit-state.ts"
import type { WaterMarks } from "./fit/water-marks.ts"
import { compose } from "./print/prompt-printer.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** How a request is counted, and what it may have. */
export interface AssemblyLimits {
  /** Default: an estimate. The assembly then says `exact: false`. */
  readonly counter?: TokenCounter
  /** Tokens that the request may have, without those reserved for the answer. Over it, injections shrink by rank (S13). */
  readonly budgetTokens?: number | undefined
  /** The cut of the turn's first request, for its later ones; absent in the first one. */
  readonly cut?: CutRecord | undefined
  /** Options for the steps in which history is cut. */
  readonly history?: WaterMarks
  /** Native tools that go with the request. Their schemas count as overhead. */
  readonly tools?: readonly CountedTool[] | undefined
  /** Remembers what was made, for the next request of the same conversation. Without one nothing of the request is kept. */
  readonly assembler?: Assembler
}

/** Cuts injections to the limits of a request. */
type Fit = (injections: readonly Injection[], options: FitOptions) => FittedDraft

/** Options of {@link assembleRequest}. */
export interface AssembleRequestOptions extends AssemblyLimits {
  readonly dialect: Dialect
  readonly prompt: string
  readonly developerRole?: boolean
  /** The names with which untrusted text could pass for somebody else's (T5). */
  readonly names?: KnownNames | undefined
  /** Looks by which lines are compared with these names. */
  readonly looks?: readonly Look[] | undefined
  /** Keys of the items that are disabled because only a turn may fill them. */
  readonly reserved?: readonly string[]
  /** May be left out for a request that {@link isUnlimited}. */
  readonly fit?: Fit | undefined
}

/**
 * Assembles a request from injections. Of several injections with one key, the last one counts that is enabled and not empty. An input
 * that the assembler has seen lately gives the very same assembly object. With only the budget changed, blocks that are composed and
 * texts that are counted are used again.
 */
export function assembleRequest(given: readonly Injection[], { assembler, ...options }: AssembleRequestOptions): Assembly {
  const memo = memoOf(assembler)
  try {
    return assembledBefore(given, options, { memo, make: assembleAnew })
  } finally {
    noteUse(assembler, sizeOf(memo))
  }
}

const frozenLists = memoKind<readonly CountedTool[], readonly CountedTool[]>()

function assembleAnew(given: readonly Injection[], options: AssembleRequestOptions, memo: Memo): Assembly {
  const { prompt, developerRole, counter = roughCounter, budgetTokens, cut, history = {}, reserved = [] } = options
  const dialect = guardedDialect(options, memo)
  // A list that stays as it is and is counted once: the caller may add to its own.
  const own = options.tools
  const tools = own && (Object.isFrozen(own) ? own : memo.sameList(frozenLists, own, Object.freeze(own.slice())))
  const counting = { counter, tools, memo }
  const file = promptFile(dialect, prompt)
  const { injections, places, cleaned } = liveInjections(given, memo)
  const composing = { dialect, file, developerRole, places, counting, budgetTokens, cut, history, memo }
  // Where nothing is cut, nobody asks for the tokens of a cut injection.
  const whole = { fromTokens: () => 0, windowRoom: () => undefined, steps: [], cut: {}, prefixMoved: undefined }
  const fitted: FittedDraft | undefined = isUnlimited(injections, options)
    ? { draft: compose(injections, composing), ...whole }
    : options.fit?.(injections, composing)
  invariant(fitted, "a request has a limit, and what fits it is not loaded")
  const counted = countMessages(fitted.draft, counting)
  const sanitised = cleaned.flatMap(({ injection: { key, enabled }, removed, kinds }) =>
    enabled && !file.omit.includes(slotOf(key)) ? [{ key, removed, kinds }] : [],
  )
  const { messages, tokens, overheadTokens, exact, spans, prefixes } = counted
  const said = withLazyMembers({ version: 1 as const, messages }, { spans })
  const weighed = withLazyMembers(Object.assign(said, { tokens, overheadTokens }), { prefixes })
  const decided = withLazyMembers(Object.assign(weighed, { exact }), {
    decisions: () => decide(given, { places, reserved, file, fitted, spans: said.spans, counter: messageCounter(counter, memo) }),
    cut: () => fitted.cut,
  })
  return Object.assign(decided, {
    prefixMoved: fitted.prefixMoved,
    windowRoom: fitted.windowRoom(tokens + overheadTokens),
    sanitised,
  })
}

/** True where nothing can be cut: there is no budget, no ceiling, and no earlier cut to repeat. */
export function isUnlimited(injections: readonly Injection[], { budgetTokens, cut = {} }: AssemblyLimits): boolean {
  if (budgetTokens !== undefined || Object.keys(cut).length > 0) return false
  for (const { fit } of injections) if (fit?.maxTokens !== undefined) return false
  return true
}

interface GuardedDialect {
  readonly names: KnownNames | undefined
  readonly looks: readonly Look[] | undefined
  readonly own: Markers
  readonly made: Dialect
}

const guarded = memoKind<Dialect, GuardedDialect>()

/**
 * The dialect with the markers of one request: lines that begin with a name that the session knows, and the lines of a prompt that
 * no turn prints (T5). The same names give the same markers, so that what was printed before is found again.
 */
function guardedDialect({ dialect, prompt, names, looks }: AssembleRequestOptions, memo: Memo): Dialect {
  const own = dialect.files.get(prompt)?.markers ?? dialect.markers
  if (names === undefined && own === dialect.markers) return dialect
  const known = memo.get(guarded, dialect)
  if (known && known.looks === looks && known.own === own && sameData(known.names, names)) return known.made
  const made = { ...dialect, markers: { ...own, names, looks } }
  memo.set(guarded, dialect, { names, looks, own, made })
  return made
}

/** The injections that a prompt is made from. */
interface LiveInjections {
  /** Cleaned, one for each key: at the place of its first injection, with the value of its last one. */
  readonly injections: readonly Injection[]
  readonly places: KeyPlaces
  /** The cleaned injections from which characters were removed. */
  readonly cleaned: readonly CleanInjection[]
}

/** By first injection, the list that was made ready last. */
const lastLists = memoKind<Injection, { readonly given: readonly Injection[]; readonly live: LiveInjections }>()

/** Cleans injections. Of several with one key, the last one counts that is enabled and not empty. */
export function liveInjections(given: readonly Injection[], memo: Memo): LiveInjections {
  const clean: Injection[] = []
  const cleaned: CleanInjection[] = []
  const before = given[0] && memo.get(lastLists, given[0])
  // The places stay if each injection that differs has the key of one that counted there, and counts too.
  let known = before?.given.length === given.length ? before : undefined
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (!injection) break
    const result = cleanInjection(injection, memo)
    if (result !== undefined && result.removed > 0) cleaned.push(result)
    const live = result?.injection ?? injection
    clean.push(live)
    if (!known || known.given[place] === injection) continue
    const counted = known.given[place]?.key === live.key && known.live.places.of.get(live.key) === place
    if (!counted || !live.enabled || isEmptyValue(live.content)) known = undefined
  }
  const places = known?.live.places ?? placesOf(clean)
  const injections: Injection[] = []
  for (const place of places.of.values()) {
    const injection = clean[place]
    if (injection) injections.push(injection)
  }
  const live = { injections, places, cleaned }
  if (given[0]) memo.set(lastLists, given[0], { given, live })
  return live
}

function placesOf(clean: readonly Injection[]): KeyPlaces {
  const of = new Map<string, number>()
  for (let place = 0; place < clean.length; place++) {
    const injection = clean[place]
    if (injection?.enabled && !isEmptyValue(injection.content)) of.set(injection.key, place)
  }
  return { of, count: clean.length }
}
