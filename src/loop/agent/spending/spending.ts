import type { ModelCalls, ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { addUsage, type LanguageModel } from "../../../core/model/language-model.ts"
import shipped from "../../../core/model/prices.json" with { type: "json" }
import { checkPrices, costOf, type Prices, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
import type { Assembly } from "../../../core/span.ts"
import { defined } from "../../../core/value.ts"
import { localFields, localText, momentOf } from "../../../memory/services/recall/time/local-time.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { ReceiptRecords } from "../../../memory/services/store/records.ts"
import { inSnakeCase } from "../../../profile/key.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import { callsOf, isSpending, turnSpending } from "../../../trace/turn-spending.ts"
import type { Spending } from "../../turn/control/spending.ts"
import type { SharedParts, TurnContext } from "../../turn/turn-context.ts"
import { traceOf, warnOnce } from "../../turn/turn-outcome.ts"

const limitNames = ["turnTokens", "turnUsd", "dailyTokens", "dailyUsd"] as const

/** Holds calls to the limits of a profile (T57, T58). */
export class SpendingLimits implements Spending<TurnContext> {
  readonly #profile: Profile
  readonly #shared: SharedParts
  readonly #prices: Prices

  constructor(profile: Profile, shared: SharedParts) {
    this.#profile = profile
    this.#shared = shared
    this.#prices = pricesFor(profile)
  }

  async allow(turn: TurnContext, asked: LanguageModel, assemble: (model: LanguageModel) => Promise<Assembly>) {
    const { calling, fallback } = this.#shared
    const assembly = await assemble(asked)
    // What a child uses stands in the trace of the turn that called it.
    if (turn.depth === 0) {
      calling.delete(turn)
      const call = { model: asked.id, calls: 1, usage: { inputTokens: tokensOf(assembly) } }
      calling.set(turn, { call, steps: turn.progress.log.steps.length })
    }
    const refused = await this.#refusal(turn.input.key, asked, assembly, turn)
    if (refused === undefined) return { model: asked, assembly }
    if (fallback === undefined || fallback === asked) throw refused
    warnOnce(turn, "model", refused.message, `${fallback.id} goes on in place of ${asked.id}: ${refused.message}`)
    const other = await assemble(fallback)
    const over = await this.#refusal(turn.input.key, fallback, other, turn)
    if (over !== undefined) throw over
    return { model: fallback, assembly: other }
  }

  async expectRoom(key: ServiceKey, model: LanguageModel, request: Assembly): Promise<void> {
    const refused = await this.#refusal(key, model, request)
    if (refused !== undefined) throw refused
  }

  /** The error of a request that would pass a limit; undefined for one that passes none. Without a turn it is of background work. */
  async #refusal(key: ServiceKey, model: LanguageModel, request: Assembly, turn?: TurnContext) {
    const { limits } = this.#profile
    const { fallback, ports } = this.#shared
    const price = priceOf(this.#prices, model.id)
    const ofTurn = turn === undefined ? [] : callsOf(traceOf(turn), ports.counter)
    const ofDay = (limits.dailyTokens ?? limits.dailyUsd) === undefined ? [] : await this.#callsOfDay(key, turn)
    for (const limit of limitNames) {
      const most = limits[limit]
      const [isDaily, isMoney] = [limit.startsWith("daily"), limit.endsWith("Usd")]
      if (most === undefined || (turn === undefined && !isDaily)) continue
      if (isMoney && price === undefined) return unpriced({ limit, most, model: model.id })
      const calls = isDaily ? ofDay : ofTurn
      const isCounted = (call: ModelCalls) => isMoney || (model.id === fallback?.id) === (call.model === fallback?.id)
      const sum = sumOf(calls.filter(isCounted), isMoney ? { prices: this.#prices, price } : undefined)
      const inputTokens = tokensOf(request)
      const asked = isMoney ? (costOf({ inputTokens, outputTokens: 0 }, price) ?? 0) : inputTokens
      if (sum.used + asked <= most) continue
      return this.#passed({ limit, most, ...sum, asked, model: model.id }, isDaily ? key.user : undefined)
    }
    return undefined
  }

  /**
   * The calls for a user on the present day: those that the store knows, and those of turns that run in this process. Of these, a call
   * under way counts for the calls that came behind it, so that of two the first one goes on.
   */
  async #callsOfDay(key: ServiceKey, turn: TurnContext | undefined): Promise<readonly ModelCalls[]> {
    const { calling, receipts, ports } = this.#shared
    const all = [...calling]
    const own = all.findIndex(([each]) => each === turn)
    const running = all.flatMap(([each, { call, steps }], at) => {
      if (each.input.key.agent !== key.agent || each.input.key.user !== key.user) return []
      const isUnderWay = steps === each.progress.log.steps.length && (own < 0 || at < own)
      return { id: spendingId(each), calls: [...callsOf(traceOf(each), ports.counter), ...(isUnderWay ? [call] : [])] }
    })
    const stored = await receipts.since(key, dayOf(ports.clock.nowMs(), this.#profile).fromMs)
    // A turn may have been stored meanwhile.
    const known = new Set(stored.map(({ turnId }) => turnId))
    return [...stored.flatMap(callsIn), ...running.flatMap(({ id, calls }) => (known.has(id) ? [] : calls))]
  }

  #passed(found: UnpricedModel & { readonly used: number; readonly estimated: number; readonly asked: number }, user?: string) {
    const { limit } = found
    const nowMs = this.#shared.ports.clock.nowMs()
    const { untilMs } = dayOf(nowMs, this.#profile)
    const isMoney = limit.endsWith("Usd")
    const [used, estimated, asked] = [found.used, found.estimated, found.asked].map((amount) =>
      isMoney ? `$${Number(amount.toPrecision(4))}` : String(amount),
    )
    const most = isMoney ? `$${found.most}` : `${found.most} tokens`
    const whose = user === undefined ? "of the turn" : `for the user ${JSON.stringify(user)} on this day`
    const message = `expected the calls ${whose} to use at most ${most}; they have used ${used}, ${estimated} of them by estimate, and the next request has ${asked} more.`
    const next = localText(untilMs, this.#profile.timeZone ?? "UTC")
    const isDaily = user !== undefined
    const hint = isDaily
      ? `The next day begins at ${next}. Raise ${inSnakeCase(limit)} of [limits], or name another model under [fallback_model].`
      : `Raise ${inSnakeCase(limit)} of [limits], or look at the trace for which call used them.`
    const evidence = { ...found, retryAfterMs: isDaily ? untilMs - nowMs : undefined }
    return new PromptStrataError("spending-limit", message, { hint, evidence })
  }
}

interface UnpricedModel {
  readonly limit: (typeof limitNames)[number]
  readonly most: number
  readonly model: string
}

function unpriced(evidence: UnpricedModel): PromptStrataError {
  const message = `expected a price of ${evidence.model} for ${inSnakeCase(evidence.limit)} of [limits], found none.`
  const hint = `Add a table [prices.${JSON.stringify(evidence.model)}] to the profile, with what a million tokens cost as \`input\` and as \`output\`.`
  return new PromptStrataError("spending-limit", message, { hint, evidence })
}

/** The prices of models by which a profile's limits count. */
export function pricesFor(profile: Pick<Profile, "prices">): Prices {
  return { ...shipped, ...checkPrices(profile.prices, () => "`prices` of the profile") }
}

const tokensOf = ({ tokens, overheadTokens }: Assembly): number => tokens + overheadTokens

/** Adds up what the store knows of a user's day: tokens, and US dollars as far as there are prices. */
export async function spentOnDay(receipts: ReceiptRecords, profile: Profile, { key, nowMs }: { key: ServiceKey; nowMs: number }) {
  const calls = (await receipts.since(key, dayOf(nowMs, profile).fromMs)).flatMap(callsIn)
  return { tokens: sumOf(calls).used, usd: sumOf(calls, { prices: pricesFor(profile), price: undefined }).used }
}

/** The calls that a receipt tells of. */
function callsIn({ value, model, attempt, usage = {}, estimate }: Receipt): readonly ModelCalls[] {
  if (isSpending(value?.spent)) return value.spent.calls
  return model === undefined ? [] : [defined({ model, calls: attempt, usage, estimate })]
}

/** The beginning and the end of the local day at a moment. */
function dayOf(nowMs: number, { timeZone = "UTC" }: Profile): { readonly fromMs: number; readonly untilMs: number } {
  const [year, month, day] = localFields(nowMs, timeZone)
  const start = (date: number): number => momentOf([year, month, date, 0, 0, 0], timeZone).atMs
  return { fromMs: start(day), untilMs: start(day + 1) }
}

/** The tokens of calls or, with prices, their cost. A model without a price is counted at `price`. */
function sumOf(calls: readonly ModelCalls[], money?: { readonly prices: Prices; readonly price: TokenPrice | undefined }) {
  const amountOf = (given: ModelCalls["usage"], model: string): number => {
    // An imported row may hold anything.
    const usage = { inputTokens: 0, outputTokens: 0, ...addUsage(given, {}) }
    if (!money) return usage.inputTokens + usage.outputTokens
    return costOf(usage, priceOf(money.prices, model) ?? money.price) ?? 0
  }
  let [used, estimated] = [0, 0]
  for (const { model, usage, estimate = {} } of calls) {
    const byEstimate = amountOf(estimate, model)
    used += byEstimate + amountOf(usage, model)
    estimated += byEstimate
  }
  return { used, estimated }
}

/** The id under which the receipt of a turn's calls is kept. It is no turn's id: a turn that is set aside has been paid for all the same. */
function spendingId({ input, startedMs }: TurnContext): string {
  return `${input.turnId}:${startedMs}`
}

/** The receipt of what a turn used. Undefined if nothing is known of it. */
export function turnReceipt(turn: TurnContext, trace: TurnTrace): Receipt | undefined {
  const { agent, input, startedMs } = turn
  const { key, turnId } = input
  const spent = turnSpending(trace, key.user, agent.spending && agent.ports.counter)
  if (spent === undefined) return undefined
  const done = { kind: "turn", outcome: "ok", attempt: 1, startedMs, durationMs: trace.durationMs } as const
  const message = trace.error ? "a turn without an answer" : "what the turn used"
  return { key, turnId: spendingId(turn), ...done, message, value: { turn: turnId, spent } }
}
