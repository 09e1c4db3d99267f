import { checkOptions, checkShape, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { withLazyMembers } from "../../core/lazy-pattern.ts"
import { findTimeZone, type Memo, memoKind } from "../../core/memo.ts"
import { type CountedTool, roughCounter, type TokenCounter } from "../../core/ports.ts"
import type { Assembly, CutRecord, WindowRoom } from "../../core/span.ts"
import { type Injection, isEmptyValue } from "../../core/value.ts"
import { type Dialect, promptFile } from "../dialect/dialect.ts"
import { dialectWith, nameLooks, shippedDialect } from "../dialect/shipped.ts"
import type { Look } from "../encode/fold.ts"
import type { Markers } from "../encode/lines.ts"
import type { KnownNames } from "../encode/named-lines.ts"
import { combineInjections, slotOf } from "../layers/combine-injections.ts"
import { knownNames } from "../layers/turn-injections.ts"
import turnShape from "../layers/turn-shape.json" with { type: "json" }
import type { TurnState } from "../layers/turn-state.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import optionShape from "./assemble-options.json" with { type: "json" }
import { type Assembler, memoOf, noteUse } from "./assembler.ts"
import { assembledBefore, sameData, sizeOf } from "./assembly-memo.ts"
import { type CleanInjection, cleanInjection } from "./clean-injections.ts"
import { decide } from "./decide.ts"
import { countMessages } from "./draft/count.ts"
import type { KeyPlaces } from "./fit/draft-items.ts"
import { fit } from "./fit/fit.ts"
import type { FittedDraft } from "./fit/fit-state.ts"
import { defaultLowWater, type WaterMarks } from "./fit/water-marks.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** Says how a stack becomes a request. */
export interface AssembleOptions extends RequestLimits {
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

/** How a request is counted, and what it may have. */
interface RequestLimits {
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

/** Options of {@link assembleInjections}. */
interface AssembleInjectionsOptions extends RequestLimits {
  readonly dialect: Dialect
  readonly prompt: string
  readonly developerRole?: boolean
  /** The names with which untrusted text could pass for somebody else's (T5). */
  readonly names?: KnownNames | undefined
  /** Looks by which lines are compared with these names. */
  readonly looks?: readonly Look[] | undefined
  /** Keys of the items that are disabled because only a turn may fill them. */
  readonly reserved?: readonly string[]
}

/**
 * Assembles a request from injections. Of several injections with one key, the last one counts that is enabled and not empty. An input
 * that the assembler has seen lately gives the very same assembly object. With only the budget changed, blocks that are composed and
 * texts that are counted are used again.
 */
export function assembleInjections(given: readonly Injection[], { assembler, ...options }: AssembleInjectionsOptions): Assembly {
  const memo = memoOf(assembler)
  try {
    return assembledBefore(given, options, { memo, make: assembleAnew })
  } finally {
    noteUse(assembler, sizeOf(memo))
  }
}

function assembleAnew(given: readonly Injection[], options: AssembleInjectionsOptions, memo: Memo): Assembly {
  const { prompt, developerRole, counter = roughCounter, budgetTokens, cut, history = {}, tools, reserved = [] } = options
  const dialect = guardedDialect(options, memo)
  const counting = { counter, tools, memo }
  const file = promptFile(dialect, prompt)
  const { injections, places, cleaned } = liveInjections(given, memo)
  const fitted = fit(injections, { dialect, prompt, developerRole, file, places, counting, budgetTokens, cut, history, memo })
  const counted = countMessages(fitted.draft, counting)
  const sanitised = cleaned.flatMap(({ injection: { key, enabled }, removed, kinds }) =>
    enabled && !file.omit.includes(slotOf(key)) ? [{ key, removed, kinds }] : [],
  )
  const hasWindow = budgetTokens !== undefined && places.of.has("history")
  const { messages, tokens, overheadTokens, exact, spans, prefixes } = counted
  const said = withLazyMembers({ version: 1 as const, messages }, { spans })
  const weighed = withLazyMembers(Object.assign(said, { tokens, overheadTokens }), { prefixes })
  const decided = withLazyMembers(Object.assign(weighed, { exact }), {
    decisions: () => decide(given, { places, reserved, file, fitted, spans: said.spans, counter: messageCounter(counter, memo) }),
    cut: () => fitted.cut,
  })
  return Object.assign(decided, {
    prefixMoved: fitted.prefixMoved,
    windowRoom: hasWindow ? windowRoom(fitted, budgetTokens - tokens - overheadTokens, { budgetTokens, history }) : undefined,
    sanitised,
  })
}

/** Tells of `freeTokens` that the steps of a cut history leave them (S16). */
function windowRoom(
  fitted: FittedDraft,
  freeTokens: number,
  { budgetTokens, history }: { readonly budgetTokens: number; readonly history: WaterMarks },
): WindowRoom | undefined {
  const { lowWater = defaultLowWater, reserveTokens = 0 } = history
  const cut = fitted.cut.history
  if (cut === undefined || !("entries" in cut) || lowWater >= 1 || freeTokens <= 0) return undefined
  const reservedTokens = Math.min(freeTokens, Math.max(0, reserveTokens && reserveTokens - fitted.turnTokens()))
  return { budgetTokens, freeTokens, reservedTokens, reason: cutInSteps }
}

const cutInSteps = "history is cut in steps, so that a provider's cache serves its beginning over many turns"

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
function guardedDialect({ dialect, prompt, names, looks }: AssembleInjectionsOptions, memo: Memo): Dialect {
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
