import { type Command, Option } from "commander"
import type { HistoryMessage, ModelCalls, SessionKey, TurnSpending } from "../../../core/conversation.ts"
import { countOf } from "../../../core/json-access.ts"
import { addUsage, type Usage } from "../../../core/model/language-model.ts"
import { costOf, type Prices, priceOf } from "../../../core/model/prices.ts"
import { pricesFor, spentOnDay } from "../../../loop/agent/spending/spending.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { StoreRow } from "../../../memory/services/store/store-row.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { isSpending } from "../../../trace/turn-spending.ts"
import type { RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { readCount } from "../options.ts"
import { readPrices } from "../serve/read-prices.ts"
import type { StoreWords } from "../words/command-words.ts"
import type { ListOptions } from "./print-memories.ts"
import { momentText, printColumns } from "./terminal-table.ts"
import { type OpenedStore, rowsIn, runOnStore, scopeBy } from "./with-store.ts"

/** The sum of some calls. */
interface CostSum {
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
interface CostReport extends Readonly<Record<Group, Sums>> {
  readonly total: CostSum
  /** Answered turns of which nothing is known. */
  readonly unknownTurns: number
  readonly layers: ReadonlyMap<string, number>
}

const nothing: CostSum = { calls: 0, unknown: 0, unpriced: 0, usage: {}, usd: 0 }

/** Sums over the rows of an export (T55): the calls of each turn and each receipt count once. */
class CostSums {
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
  const counts = { calls: a.calls + b.calls, unknown: a.unknown + b.unknown, unpriced: a.unpriced + b.unpriced }
  return { ...counts, usage: addUsage(a.usage, b.usage), usd: a.usd + b.usd }
}

function dearestFirst(sums: Sums): Sums {
  const tokens = ({ usage }: CostSum): number => usage.inputTokens ?? 0
  return new Map([...sums].sort(([, a], [, b]) => b.usd - a.usd || tokens(b) - tokens(a)))
}

/** Adds the command `cost`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("cost")
    .description(
      "Sum up what the models of the stored turns and of their background work used: by work, model, layer, user and day.",
    )
    .addOption(new Option("--user <id>", "only what was used for this user").conflicts("conversation"))
    .option("--conversation <name>", "only what this conversation used")
    .option("--limit <count>", "at most this many rows of each table", readCount, 20)
    .option("--prices <file>", "a JSON file with the prices of models, in place of those of the package")
    .option("--json", "print the sums as JSON")
  runOnStore(command, run, cost)
}

/** Prints the sums of a store. Resolves to the exit code. */
async function cost(opened: OpenedStore, options: ListOptions & { readonly prices?: string }): Promise<number> {
  const { context, store, profile, words } = opened
  const prices = options.prices === undefined ? pricesFor(profile) : readPrices(options.prices)
  const all = new CostSums((usage, model) => costOf(usage, priceOf(prices, model)), profile.timeZone ?? "UTC")
  for await (const row of rowsIn(store.export(scopeBy(profile, options)))) all.add(row)
  const sums = all.report()
  const left = await leftToday(opened, [...sums.users.keys()])
  if (options.json) {
    const plain = Object.entries(sums).map(([name, sum]) => [name, sum instanceof Map ? Object.fromEntries(sum) : sum])
    context.io.stdout.write(`${jsonLine({ ...Object.fromEntries(plain), left })}\n`)
    return exitCodes.ok
  }
  if (sums.total.calls === 0) context.screen.note(words.nothingUsed)
  else context.io.stdout.write(`${tablesOf(sums, opened, options.limit).join("\n\n")}\n`)
  const rows = Object.entries(left ?? {}).map(([user, { tokens, usd }]) => [`${tokens ?? "-"}`, usd?.toFixed(4) ?? "-", user])
  if (rows.length > 0)
    context.io.stdout.write(`\n${printColumns([...words.leftColumns], rows.slice(0, options.limit), opened.maxWidth)}\n`)
  for (const note of notesOn(sums, { prices, opened })) context.screen.note(note)
  return exitCodes.ok
}

/** Tokens and US dollars that each user may still use today, as far as the profile bounds them. Undefined if it bounds neither. */
async function leftToday({ store, profile }: OpenedStore, users: readonly string[]) {
  const { dailyTokens, dailyUsd } = profile.limits
  if ((dailyTokens ?? dailyUsd) === undefined) return undefined
  const left: Record<string, { tokens: number | undefined; usd: number | undefined }> = {}
  for (const user of users) {
    const key = { agent: profile.agent.id, conversation: "", audience: "private", user } as const
    const { tokens, usd } = await spentOnDay(store.receipts, profile, { key, nowMs: Date.now() })
    left[user] = { tokens: dailyTokens && Math.max(0, dailyTokens - tokens), usd: dailyUsd && Math.max(0, dailyUsd - usd) }
  }
  return left
}

function tablesOf(sums: CostReport, { words, maxWidth, profile }: OpenedStore, limit: number): readonly string[] {
  const { work, models, users, days, layers, total } = sums
  const left = (count: number) => (count > limit ? [words.notListed(count - limit)] : [])
  const printed = (heads: readonly string[], rows: readonly (readonly string[])[], more: readonly (readonly string[])[] = []) =>
    [printColumns([...heads], [...rows.slice(0, limit), ...more], maxWidth), ...left(rows.length)].join("\n")
  const table = (title: string, by: ReadonlyMap<string, CostSum>, more?: readonly (readonly string[])[]): string =>
    printed(
      [...words.costColumns, title],
      [...by].map(([name, sum]) => cellsOf(name, sum)),
      more,
    )
  const all = [...layers.values()].reduce((sum, tokens) => sum + tokens, 0)
  const share = (tokens: number): string => `${Math.round((tokens / all) * 100)} %`
  const layerRows = [...layers].map(([key, tokens]) => [String(tokens), share(tokens), key || "(frame)"])
  const [byWork, byModel, byLayer, byUser, byDay] = words.costTitles as [string, string, string, string, string]
  return [
    table(byWork, new Map([...work].map(([name, sum]) => [workText(name, words), sum])), [cellsOf(words.total, total)]),
    table(byModel, models),
    ...(layerRows.length === 0 ? [] : [printed([...words.layerColumns, byLayer], layerRows)]),
    table(byUser, users),
    table(`${byDay} (${profile.timeZone ?? "UTC"})`, days),
  ]
}

function cellsOf(name: string, { usd, unpriced, calls, usage }: CostSum): readonly string[] {
  const known = usd > 0 && usd < 0.0001 ? "<0.0001" : usd.toFixed(4)
  const money = unpriced === calls ? "?" : `${known}${unpriced > 0 ? " + ?" : ""}`
  const { inputTokens, outputTokens, inputCacheReadTokens, inputCacheWriteTokens } = usage
  const tokens = [inputTokens, outputTokens, inputCacheReadTokens, inputCacheWriteTokens]
  return [money, String(calls), ...tokens.map((count) => String(count ?? "?")), name]
}

function workText(name: string, words: StoreWords): string {
  if (name === "turn") return words.turnsWork
  return name.startsWith("child ") ? words.childWork(name.slice(6)) : words.jobWork(name)
}

/** Says what the sums do not hold, and of when the prices are. */
function notesOn(sums: CostReport, { prices, opened: { words } }: { readonly prices: Prices; readonly opened: OpenedStore }) {
  const names = [...sums.models.keys()]
  const without = names.filter((model) => priceOf(prices, model) === undefined && sums.models.get(model)?.unpriced !== 0)
  const dates = names.flatMap((model) => priceOf(prices, model)?.asOf ?? []).sort()
  return [
    ...(dates.length > 0 ? [words.pricesAsOf([...new Set([dates[0], dates.at(-1)])].join(" – "))] : []),
    ...(without.length > 0 ? [words.noPrice(terminalLine(without.join(", ")))] : []),
    ...(sums.total.unknown > 0 ? [words.unknownCalls(sums.total.unknown)] : []),
    ...(sums.unknownTurns > 0 ? [words.unknownTurns(sums.unknownTurns)] : []),
  ]
}
