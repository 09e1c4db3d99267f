import { createReadStream } from "node:fs"
import { type Command, Option } from "commander"
import type { EventRecord } from "../../../memory/forgetting/events/event-record.ts"
import { inTime } from "../../../memory/forgetting/events/select-events.ts"
import { type Grain, grains } from "../../../memory/forgetting/events/stamp.ts"
import { readState } from "../../../memory/forgetting/plugin/context-state.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import type { StoreRow } from "../../../memory/services/store/store-row.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { type CliContext, type RunCommand, runWithProfile } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { exportedLines } from "../memory/export-import.ts"
import { rowsIn } from "../memory/with-store.ts"
import { openProfile } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import type { CommonOptions, StoreOptions } from "../options.ts"
import { storeWords } from "../words/command-words.ts"

interface EventsOptions extends CommonOptions, StoreOptions {
  /** An export of a store, read instead of the store. */
  readonly from?: string
  readonly conversation?: string
  readonly grain?: Grain
  readonly json?: boolean
}

/** The events of one conversation. */
interface ConversationEvents {
  readonly conversation: string
  readonly events: readonly EventRecord[]
}

/** Adds the command `events`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("events")
    .description(
      "Print the events that a character with virtual context remembers, by conversation, in order of time: years, months, weeks, days and moments.",
    )
    .option("--conversation <id>", "only this conversation")
    .addOption(new Option("--grain <grain>", "only events of this length").choices(grains))
    .option("--from <file>", "read an export of a store instead of the store")
    .option("--json", "print a line of JSON for each conversation")
  runWithProfile(command, run, events, { store: "required", shipped: "root" })
}

/** Prints the events that an agent remembers, by conversation, in order of time (R20). Resolves to the exit code. */
async function events(options: EventsOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, context, "root")
  const found: ConversationEvents[] = []
  for await (const row of rows(options, profile.agent.id, context)) {
    const remembered = eventsOf(row, profile.agent.id, options)
    if (remembered !== undefined) found.push(remembered)
  }
  if (options.json) for (const remembered of found) io.stdout.write(`${jsonLine(remembered)}\n`)
  else for (const line of found.flatMap(linesOf)) io.stdout.write(`${terminalLine(line)}\n`)
  if (found.length > 0) return exitCodes.ok
  const { noEvents, noContext } = storeWords(profile.locale)
  const hasContext = profile.plugins.some(({ name }) => name === virtualContextName)
  screen.note((hasContext ? noEvents : noContext)(profile.agent.name))
  return exitCodes.ok
}

function linesOf({ conversation, events: remembered }: ConversationEvents, at: number): readonly string[] {
  return [...(at === 0 ? [] : [""]), `# ${conversation}`, ...remembered.map(({ stamp, text }) => `${stamp} ${text}`)]
}

function eventsOf(row: StoreRow, agent: string, { conversation, grain }: EventsOptions): ConversationEvents | undefined {
  if (row.table !== "session" || row.agent !== agent) return undefined
  if (conversation !== undefined && row.conversation !== conversation) return undefined
  const hooks = row.state.hooks as Readonly<Record<string, unknown>> | undefined
  const all = readState(hooks?.[virtualContextName]).events
  const chosen = all.filter((event) => grain === undefined || event.grain === grain).sort(inTime)
  return chosen.length === 0 ? undefined : { conversation: row.conversation, events: chosen }
}

async function* rows(options: EventsOptions, agent: string, context: CliContext): AsyncGenerator<StoreRow, void, undefined> {
  if (options.from !== undefined) return yield* rowsIn(exportedLines(createReadStream(options.from), options.from))
  const store = await openCliStore(options, context, { ifThere: true })
  if (store) yield* rowsIn(store.export({ agent }))
}
