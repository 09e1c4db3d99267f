import type { Command } from "commander"
import { repeatText } from "../../../loop/agent/schedule/repeat-text.ts"
import { wakeJobs, wakeOf } from "../../../loop/agent/schedule/wakes.ts"
import { localText } from "../../../memory/services/recall/time/local-time.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import type { RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { scheduleWords } from "../words/command-words.ts"
import { printItems } from "./print-memories.ts"
import { type OpenedStore, placeText, runOnStore, type StoreCommandOptions, scopeBy } from "./with-store.ts"

/** Adds the commands `schedule list` and `schedule cancel`. */
export function add(program: Command, run: RunCommand): void {
  const schedule = program
    .command("schedule")
    .description("Print the reminders and other wakes that wait for their time, and cancel them.")
  const list = schedule
    .command("list")
    .summary("print the reminders that wait")
    .description("Print the reminders that wait, soonest first, in the time zone of each.")
    .option("--user <id>", "only those of this user")
    .option("--json", "print one line of JSON for each")
  runOnStore(list, run, scheduleList)
  const cancel = schedule
    .command("cancel")
    .summary("cancel a reminder")
    .description("Cancel a reminder, so that it does not ring.")
    .argument("<id>", "the id that schedule list prints")
  runOnStore(cancel, run, scheduleCancel)
}

async function scheduleList(opened: OpenedStore, options: StoreCommandOptions): Promise<number> {
  const { store, profile } = opened
  const words = scheduleWords(profile.locale)
  const wakes = (await wakeJobs(store.wakes, scopeBy(profile, options))).map(wakeOf).sort((a, b) => a.dueMs - b.dueMs)
  return printItems(wakes, options, {
    ...{ opened, empty: words.none, columns: words.columns },
    toCells: ({ id, key, dueMs, timeZone = "UTC", repeat = "", reason }) => {
      const time = `${localText(dueMs, timeZone)} ${timeZone}`
      return [id, time, repeatText(repeat, profile.locale), key.user, placeText(key), reason]
    },
  })
}

async function scheduleCancel({ context, store, profile }: OpenedStore, _: StoreCommandOptions, id: string): Promise<number> {
  const words = scheduleWords(profile.locale)
  const job = (await wakeJobs(store.wakes, { agent: profile.agent.id })).find(({ turnId }) => turnId === id)
  if (job === undefined) {
    context.screen.complain(words.unknown(terminalLine(id)))
    return exitCodes.failed
  }
  await store.wakes.delete(job.key, id)
  context.screen.note(words.cancelled(terminalLine(wakeOf(job).reason)))
  return exitCodes.ok
}
