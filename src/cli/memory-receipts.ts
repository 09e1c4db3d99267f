import { printCost, type Receipt } from "../services/store/receipt.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { storedRows } from "./stored-rows.ts"
import { momentText, printTable } from "./table.ts"
import { type ScopeOptions, type StoreCommandOptions, scopeOf, withStore } from "./with-store.ts"

/** What `memory receipts` was asked for. */
export interface MemoryReceiptsOptions extends StoreCommandOptions, ScopeOptions {
  readonly limit: number
  readonly json: boolean
}

/** Prints the newest pieces of background work, oldest first, and what they cost. Resolves to the exit code. */
export function memoryReceipts(options: MemoryReceiptsOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words, width }) => {
    const rows = await storedRows(store, scopeOf(profile, options), ["receipt"])
    const shown = rows.map(({ receipt }) => receipt).slice(-options.limit)
    const { stdout } = context.io
    if (options.json) for (const receipt of shown) stdout.write(`${jsonLine(receipt)}\n`)
    else if (shown.length === 0) context.screen.note(words.noWork)
    else stdout.write(`${printTable(words.workColumns, shown.map(receiptCells), width)}\n${printCost(shown)}\n`)
    return exitCodes.ok
  })
}

function receiptCells({ startedMs, kind, outcome, attempt, durationMs, usage, key, message = "" }: Receipt): readonly string[] {
  const tokens = usage?.inputTokens === undefined ? "-" : `${usage.inputTokens} + ${usage.outputTokens ?? 0}`
  const where = key.audience === "group" ? `#${key.conversation}` : key.conversation
  return [momentText(startedMs), kind, outcome, String(attempt), String(Math.round(durationMs)), tokens, key.user, where, message]
}
