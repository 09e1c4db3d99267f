import type { HistoryMessage, ModelCalls, SessionKey, TurnSpending } from "../../../core/conversation.ts"
import { countOf } from "../../../core/json-access.ts"
import { addUsage, type Usage } from "../../../core/model/language-model.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { StoreRow } from "../../../memory/services/store/store-row.ts"
import { isSpending } from "../../../trace/turn-spending.ts"
import { momentText } from "./terminal-table.ts"

/** The sum of some calls. */
export interface CostSum {
  readonly calls: number
  /** Calls without usage. */
  readonly unknown: number
  /** Calls whose cost is unknown, because their usage or their price is. */
  readonly unpriced: number
  readonly usage: Usage
  /** The cost of the other calls. */
  readonly usd: number
}

type Sums = ReadonlyMap<string, CostSum>
type Group = "work" | "models" | "users" | "days"

/** The sums of a store. Work is `turn`, `child NAME` or the kind of a receipt, days are those of a time zone, and layers have tokens of the turns' own requests. */
export interface CostReport extends Readonly<Record<Group, Sums>> {
  readonly total: CostSum
  /** Answered turns of which nothing is known. */
  readonly unknownTurns: number
  readonly layers: ReadonlyMap<string, number>
}

const nothing: CostSum = { calls: 0, unknown: 0, unpriced: 0, usage: {}, usd: 0 }

/** Sums over the rows of an export (T55): the calls of each turn and each receipt count once. */
export class CostSums {
  #total = nothing
  readonly #by: Readonly<Record<Group, Map<string, CostSum>>> = {
    work: new Map(),
    models: new Map(),
    users: new Map(),
    days: new Map(),
  }
  readonly #layers = new Map<string, number>()
  readonly #turns = new Map<string, boolean>()
  readonly #costOf: (usage: Usage, model: string) => number | undefined
  readonly #timeZone: string

  constructor(costOf: (usage: Usage, model: string) => number | undefined, timeZone: string) {
    this.#costOf = costOf
    this.#timeZone = timeZone
  }

  add(row: StoreRow): void {
    if (row.table === "message") this.#addMessage(row, row.message)
    if (row.table === "receipt") this.#addReceipt(row.receipt)
  }

  /** The sums so far, the largest first, and the newest day. */
  report(): CostReport {
    const { work, models, users, days } = this.#by
    return {
      total: this.#total,
      unknownTurns: [...this.#turns.values()].filter((isKnown) => !isKnown).length,
      ...{ work: dearestFirst(work), models: dearestFirst(models), users: dearestFirst(users) },
      days: new Map([...days].sort(([a], [b]) => (a < b ? 1 : -1))),
      layers: new Map([...this.#layers].sort(([, a], [, b]) => b - a)),
    }
  }

  #addMessage({ agent, conversation, audience }: SessionKey, message: HistoryMessage): void {
    const { spent, turnId, role, unanswered, atMs } = message
    const turn = JSON.stringify([agent, conversation, audience, turnId])
    const isKnown = isSpending(spent)
    if (isKnown) this.#addTurn(spent, atMs)
    if (isKnown || (role === "assistant" && !unanswered)) this.#turns.set(turn, isKnown || this.#turns.get(turn) === true)
  }

  #addReceipt({ kind, key, model, usage, attempt, startedMs, value }: Receipt): void {
    if (isSpending(value?.spent)) {
      this.#addTurn(value.spent, startedMs)
      this.#turns.set(JSON.stringify([key.agent, key.conversation, key.audience, value.turn]), true)
    }
    if (model === undefined) return
    const unknown = usage === undefined ? attempt : 0
    this.#addCalls({ model, calls: attempt, unknown, usage: usage ?? {} }, { work: kind, users: key.user, atMs: startedMs })
  }

  #addTurn({ user, calls, layers }: TurnSpending, atMs: number): void {
    for (const each of calls)
      this.#addCalls(each, { work: each.child ? `child ${each.child}` : "turn", users: String(user), atMs })
    for (const [key, tokens] of Object.entries(layers))
      this.#layers.set(key, (this.#layers.get(key) ?? 0) + (countOf(tokens) ?? 0))
  }

  #addCalls(given: ModelCalls, { atMs, ...by }: { readonly work: string; readonly users: string; readonly atMs: number }): void {
    const { model: models, usage } = given
    const [calls, unknown] = [countOf(given.calls) ?? 0, countOf(given.unknown) ?? 0]
    const usd = unknown < calls ? this.#costOf(usage, models) : undefined
    const part = { calls, unknown, unpriced: usd === undefined ? calls : unknown, usage, usd: usd ?? 0 }
    this.#total = sumOf(this.#total, part)
    const days = momentText(atMs, this.#timeZone).slice(0, 10)
    for (const [group, name] of Object.entries({ ...by, models, days })) {
      const map = this.#by[group as Group]
      map.set(name, sumOf(map.get(name) ?? nothing, part))
    }
  }
}

function sumOf(a: CostSum, b: CostSum): CostSum {
  const usage = addUsage(a.usage, b.usage)
  return {
    calls: a.calls + b.calls,
    unknown: a.unknown + b.unknown,
    unpriced: a.unpriced + b.unpriced,
    usage,
    usd: a.usd + b.usd,
  }
}

function dearestFirst(sums: Sums): Sums {
  const tokens = ({ usage }: CostSum): number => usage.inputTokens ?? 0
  return new Map([...sums].sort(([, a], [, b]) => b.usd - a.usd || tokens(b) - tokens(a)))
}
