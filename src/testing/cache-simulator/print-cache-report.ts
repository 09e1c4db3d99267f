import { changeInShort } from "../../trace/print-trace.ts"
import { printTable } from "../../trace/table.ts"
import type { CacheReport, CacheRow } from "./simulate-cache.ts"

const columns = ["turn", "tokens", "cached", "share", "possible", "written", "cost", "not served from"] as const

/** Prints a report as a plain text table: one line for each request, and the totals in the last line. */
export function printCacheReport(report: CacheReport): string {
  const writes = report.rows.some(({ writtenTokens }) => writtenTokens > 0)
  const shown = columns.filter((name) => (name !== "written" || writes) && (name !== "cost" || report.cost !== undefined))
  const cells = [...report.rows.map(rowCells), totalCells(report)]
  return printTable(
    shown,
    cells.map((row) => shown.map((name) => row[name])),
  )
}

type Cells = Record<(typeof columns)[number], string>

function rowCells({ turn, promptTokens, cachedTokens, share, possibleTokens, writtenTokens, cost = 0, ...why }: CacheRow): Cells {
  return {
    turn: String(turn),
    tokens: String(promptTokens),
    cached: String(cachedTokens),
    share: percent(share),
    possible: String(possibleTokens),
    written: String(writtenTokens),
    cost: money(cost),
    "not served from": reason(why),
  }
}

function totalCells({
  rows,
  exact,
  promptTokens,
  cachedTokens,
  share,
  possibleTokens,
  cost = 0,
  costUncached = 0,
}: CacheReport): Cells {
  return {
    turn: "all",
    tokens: String(promptTokens),
    cached: String(cachedTokens),
    share: percent(share),
    possible: String(possibleTokens),
    written: String(rows.reduce((sum, row) => sum + row.writtenTokens, 0)),
    cost: money(cost),
    "not served from": `${exact ? "" : "estimated; "}${rows.length} requests${costUncached > 0 ? `, ${money(costUncached)} without a cache` : ""}`,
  }
}

function reason({ rest, difference }: Pick<CacheRow, "rest" | "difference">): string {
  if (rest !== "changed" || !difference) return reasons[rest]
  return `message ${difference.message + 1}: ${changeInShort(difference)}${difference.brokeStable ? " (!)" : ""}`
}

const reasons = {
  first: "the first request",
  short: "too short to keep",
  expired: "it was too long ago",
  new: "what is new",
  changed: "",
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function money(amount: number): string {
  return amount.toFixed(amount >= 1 ? 2 : 4)
}
