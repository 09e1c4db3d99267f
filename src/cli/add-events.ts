import { type Command, Option } from "commander"
import { addStoreOptions } from "./add-store-options.ts"
import { type EventsOptions, grainChoices } from "./events.ts"
import { eventsHelp } from "./help-text.ts"

/** Adds the command `events`. */
export function addEvents(program: Command, events: (options: EventsOptions) => Promise<void>): void {
  const command = program
    .command("events")
    .summary("list what an agent remembers")
    .description(
      "List the events that an agent remembers, conversation by conversation, in order of time: years, months, weeks, days and topics.",
    )
    .argument("[profile]", "whose: a profile's name, or the path of its .toml file", "root")
    .option("--from <file>", "an export of a store, in place of the data folder")
    .option("--conversation <id>", "only this conversation")
    .addOption(new Option("--grain <grain>", "only these").choices(grainChoices))
    .option("--json", "print a line of JSON for each conversation", false)
    .option("--locale <locale>", "language of the words here, such as en or zh-CN")
    .option("--data-dir <folder>", "where the agent keeps its store", "./data")
    .option("--debug", "print where an error was thrown", false)
  addStoreOptions(command)
    .addHelpText("after", eventsHelp)
    .action((profile: string, given: Omit<EventsOptions, "profile">) => events({ ...given, profile }))
}
