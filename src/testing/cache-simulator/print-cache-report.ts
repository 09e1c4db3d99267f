import { checkType } from "../../core/check-options.ts"
import { changeInShort } from "../../trace/print-trace.ts"
import { printTable } from "../../trace/table.ts"
import type { CacheReport, CacheRow } from "./simulate-cache.ts"

const columns = ["turn", "tokens", "cached", "share", "possible", "written", "cost", "not served from"] as const

/** Prints a report as a plain text table: one line for each request, and the totals in the last line. */
export function printCacheReport(report: CacheReport): string {
  checkType("the rows of the report of printCacheReport", report?.rows, "list")
  const writes = report.rows.some(({ writtenTokens }) => writtenTokens > 0)
  const shown = columns.filter((name) => (name !== "written" || writes) && (name !== "cost" || report.cost !== undefined))
  const rows = report.rows.map((row) => cellsOf(row, { ...row, turn: String(row.turn), why: reason(row) }))
  const cells = [...rows, totalCells(report)]
  return printTable(
    shown,
    cells.map((row) => shown.map((name) => row[name])),
  )
}

type Cells = Record<(typeof columns)[number], string>

function totalCells(report: CacheReport): Cells {
  const { rows, exact, costUncached = 0 } = report
  const uncached = costUncached > 0 ? `, ${money(costUncached)} without a cache` : ""
  const why = `${exact ? "" : "estimated; "}${rows.length} requests${uncached}`
  return cellsOf(report, { turn: "all", writtenTokens: rows.reduce((sum, row) => sum + row.writtenTokens, 0), why })
}

function cellsOf(
  { promptTokens, cachedTokens, share, possibleTokens, cost = 0 }: CacheRow | CacheReport,
  { turn, writtenTokens, why }: { readonly turn: string; readonly writtenTokens: number; readonly why: string },
): Cells {
  return {
    turn,
    tokens: String(promptTokens),
    cached: String(cachedTokens),
    share: `${(100 * share).toFixed(1)} %`,
    possible: String(possibleTokens),
    written: String(writtenTokens),
    cost: money(cost),
    "not served from": why,
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

function money(amount: number): string {
  return amount.toFixed(amount >= 1 ? 2 : 4)
}
