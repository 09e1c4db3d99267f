import { type Command, InvalidArgumentError } from "commander"
import { addStoreOptions } from "./add-store-options.ts"
import type { WorkerOptions } from "./worker.ts"

const workerHelp = `
Start as many as there is work for, on as many machines: each job is done once, and those of one conversation in their
order. The model is chosen as for chat. One line is printed for each job. See docs/scaling.md.

Examples:
  PROMPTSTRATA_STORE=postgres://bot@db/bot promptstrata worker fay
  promptstrata worker ./bots/mine.toml --store postgres://bot@db/bot --drain 60`

/** Adds the command `worker`. */
export function addWorker(program: Command, worker: (options: WorkerOptions) => Promise<void>): void {
  const command = program
    .command("worker")
    .summary("do the background work that turns leave")
    .description(
      "Do the background work that turns leave in a store: rate, remember, reflect. It talks to nobody. SIGTERM ends it once the jobs that run are done.",
    )
    .argument("[profile]", "name of a profile, or path of its .toml file", "fay")
    .option("--drain <seconds>", "on SIGTERM, wait at most so long for jobs that run", readSeconds, 30)
    .option("--locale <locale>", "language of the prompts, such as en or zh-CN")
    .option("--data-dir <folder>", "where the embedded store lies, and tools keep their files", "./data")
    .option("--debug", "print where an error was thrown", false)
    .addHelpText("after", workerHelp)
  addStoreOptions(command)
  command.action((profile: string, { drain, ...given }: Omit<WorkerOptions, "profile" | "drainSeconds"> & { drain: number }) =>
    worker({ ...given, profile, drainSeconds: drain }),
  )
}

function readSeconds(value: string): number {
  const seconds = Number(value)
  if (value.trim() === "" || !Number.isFinite(seconds) || seconds < 0)
    throw new InvalidArgumentError("Expected a number of seconds from 0 on.")
  return seconds
}
