import type { Command } from "commander"
import type { SqliteStore } from "../../../adapters/stores/database-store.ts"
import { rowText } from "../../../adapters/stores/sql/row-body.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { DeadJob } from "../../../memory/services/store/job-runner.ts"
import { isBadOutcome, type Receipt } from "../../../memory/services/store/receipt.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { clockOf, type RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { printColumns, zoneOf } from "./terminal-table.ts"
import { countsText, type OpenedStore, runOnStore, type StoreCommandOptions, storedRows } from "./with-store.ts"

interface DoctorOptions extends StoreCommandOptions {
  /** Also writes a copy of the store to this file, which must not exist yet. */
  readonly backup?: string
  /** Moves damaged rows to this file, which must not exist yet. */
  readonly repair?: string
  /** Asks the model's server instead. */
  readonly model?: boolean
}

/** Adds the command `doctor`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("doctor")
    .description("Check the store: its file, its rows, its jobs and recent background work.")
    .option("--backup <file>", "also write a copy of the embedded store to a new file")
    .option("--repair <file>", "move rows that are damaged to a new file, and say what is lost without them")
    .option("--model", "instead, ask the model's server what it can: tools, pictures, JSON Schema, thoughts")
    .option("--json", "print the result as JSON")
  runOnStore(command, run, doctor, (options: DoctorOptions, context) =>
    options.model ? import("./doctor-model.ts").then(({ doctorModel }) => doctorModel(options, context)) : undefined,
  )
}

const sevenDaysMs = 7 * 86_400_000

/** Checks a store and prints problems with advice. Resolves to the exit code: 1 if there is a problem. */
async function doctor(opened: OpenedStore, options: DoctorOptions): Promise<number> {
  const { context, store } = opened
  const nowMs = clockOf(context).nowMs()
  if (options.repair !== undefined) await repair(opened, options.repair)
  const [check, dead] = [await store.check(), await readable(store.jobs.dead())]
  const failed: Receipt[] = []
  for (const agent of await store.agents()) {
    const receipts = await readable(storedRows(store, { agent }, ["receipt"]))
    const isRecent = ({ outcome, startedMs }: Receipt): boolean => startedMs >= nowMs - sevenDaysMs && isBadOutcome(outcome)
    failed.push(...receipts.map(({ receipt }) => receipt).filter(isRecent))
  }
  if (options.json) context.io.stdout.write(`${jsonLine({ ...check, dead, failed })}\n`)
  else print({ ...opened, dead, failed, check })
  if (options.backup !== undefined && !(await backUp(opened, options.backup))) return exitCodes.failed
  return check.ok ? exitCodes.ok : exitCodes.failed
}

/** The result, or nothing if a row is damaged: the check tells of that row. */
async function readable<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  return work.catch((error: unknown) => {
    if (PromptStrataError.isInstance(error) && error.code === "store" && error.evidence.row) return []
    throw error
  })
}

/** Moves damaged rows to a file and notes each with what is lost. */
async function repair({ store, words, context: { screen } }: OpenedStore, file: string): Promise<void> {
  const damaged = await store.repair(file)
  for (const row of damaged) screen.note(terminalLine(`${rowText(row)}: ${words.lost} ${row.lost}`, 500))
  screen.note(damaged.length === 0 ? words.nothingDamaged : words.repaired(damaged.length, terminalLine(file)))
}

interface Examination extends OpenedStore {
  readonly check: Awaited<ReturnType<Store["check"]>>
  readonly dead: readonly DeadJob[]
  readonly failed: readonly Receipt[]
}

function print({ context, store, check, dead, failed, words, profile, maxWidth }: Examination): void {
  const { io, screen, translate } = context
  const say = (text: string): void => {
    io.stdout.write(`${text}\n`)
  }
  if (isEmbedded(store)) say(terminalLine(store.file))
  say(countsText(check.counts) || "-")
  say(check.ok ? words.sound : check.problems.map((problem) => `✗ ${terminalLine(translate(problem), 500)}`).join("\n"))
  if (dead.length > 0) {
    const rows = dead.map(({ job: { kind, key }, attempts, error }) => [
      ...[kind, key.user, key.conversation, String(attempts), translate(error)],
    ])
    say(`\n${words.deadJobs}\n${printColumns(words.deadColumns, rows, maxWidth)}`)
    screen.note(screen.paint("dim", words.deadAdvice))
  }
  if (failed.length === 0) return
  const rows = failed.map((receipt) => {
    const { startedMs, kind, outcome, attempt, key, message = "" } = receipt
    return [startedMs, kind, outcome, String(attempt), key.user, translate(message)]
  })
  say(`\n${words.failedReceipts}\n${printColumns(words.receiptColumns, rows, maxWidth, zoneOf(profile))}`)
  screen.note(screen.paint("dim", words.receiptAdvice))
}

async function backUp({ store, words, context: { screen } }: OpenedStore, file: string): Promise<boolean> {
  if (!isEmbedded(store)) {
    screen.complain(words.noBackup)
    return false
  }
  await store.backup(file)
  screen.note(words.backedUp(terminalLine(file)))
  return true
}

function isEmbedded(store: Store): store is SqliteStore {
  return "backup" in store
}
