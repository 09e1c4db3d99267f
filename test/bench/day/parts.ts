import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseSync, StatementSync } from "node:sqlite"

/** What both bots are made of, so that only their code differs. */
export const persona = "You are Mira, who runs a small tea house by the river. You are warm, curious and brief."
export const toolCount = 40
export const toolName = (at: number): string => `look_up_${at}`
export const toolDescription = (at: number): string =>
  `Looks up entries of kind ${at} in the tea house's books and returns what fits.`
export const toolResult = (subject: string): string => `Found 3 entries about ${subject}: one of spring, two of last autumn.`

/** Sixty entries of a lorebook: a few of their keys come up in talk about anything. */
export const lore: readonly { readonly keys: readonly string[]; readonly content: string }[] = [
  ...["heating", "game", "car", "school", "money", "doctor", "dinner", "birthday", "train", "music"].map((key) => ({
    keys: [key],
    content: `At the tea house, ${key} is a thing that guests often bring up; Mira keeps a shelf of small things for it.`,
  })),
  ...Array.from({ length: 50 }, (_, at) => ({
    keys: [`bridge ${at}`, `old mill ${at}`],
    content: `Bridge ${at} leads to the old mill ${at}, which has stood empty since the flood.`,
  })),
]

/** What a bot's process tells of its day. */
export interface DayReport {
  readonly cpuMs: number
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly statements: number
  readonly transactions: number
}

export interface BotSetup {
  readonly modelUrl: string
  readonly folder: string
}

/** A bot that listens. `settle` waits for all work behind the answers. */
export interface RunningBot {
  readonly port: number
  settle(): Promise<void>
}

/** Starts a bot in this process, a child of the benchmark, and answers its questions: `begin` and `end` of the day. */
export async function runBot(start: (setup: BotSetup) => Promise<RunningBot>): Promise<void> {
  const [modelUrl = "", folder = ""] = process.argv.slice(2)
  const count = countStatements()
  const bot = await start({ modelUrl, folder })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let before = process.cpuUsage()
  process.on("message", (message) => {
    if (message === "begin") {
      before = process.cpuUsage()
      count.statements = 0
      count.transactions = 0
      delay.reset()
      delay.enable()
      process.send?.("begun")
    } else void bot.settle().then(() => process.send?.(report()))
  })
  const report = (): DayReport => {
    const { user, system } = process.cpuUsage(before)
    const ms = (nanoseconds: number): number => nanoseconds / 1e6
    const loopDelayMs = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) }
    return { cpuMs: (user + system) / 1000, loopDelayMs, ...count }
  }
  process.send?.(bot.port)
}

/** Counts everything that SQLite runs in this process. */
function countStatements(): { statements: number; transactions: number } {
  const count = { statements: 0, transactions: 0 }
  const seen = (sql: string): void => {
    if (/^begin/i.test(sql)) count.transactions++
    else if (!/^(?:commit|rollback)/i.test(sql)) count.statements++
  }
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    seen(sql)
    return exec.call(this, sql)
  }
  const { all, get, run } = StatementSync.prototype
  for (const [name, original] of Object.entries({ all, get, run })) {
    const counted = function (this: StatementSync, ...values: unknown[]): unknown {
      seen(this.sourceSQL)
      return (original as (...values: unknown[]) => unknown).apply(this, values)
    }
    Object.assign(StatementSync.prototype, { [name]: counted })
  }
  return count
}
