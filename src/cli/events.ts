import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { EventRecord } from "../forgetting/events/event-record.ts"
import { inTime } from "../forgetting/events/select-events.ts"
import { type Grain, grains } from "../forgetting/events/stamp.ts"
import { readState, virtualContextName } from "../forgetting/plugin/context-state.ts"
import { readStoreRow, type StoreRow } from "../services/store/store-row.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore } from "./open-store.ts"
import { oneLine } from "./terminal-text.ts"
import { eventWords } from "./words-events.ts"

/** What `events` was asked for. */
export interface EventsOptions extends CommonOptions {
  /** An export of a store, in place of the data folder. */
  readonly from?: string
  /** Only this conversation. */
  readonly conversation?: string
  /** Only this grain. */
  readonly grain?: Grain
  readonly json: boolean
}

/** What an agent remembers of one conversation. */
interface Remembered {
  readonly conversation: string
  readonly events: readonly EventRecord[]
}

/** Lists the events that an agent remembers, in order of time, conversation by conversation (R20). Resolves to the exit code. */
export async function events(options: EventsOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, io)
  const words = eventWords(profile.locale)
  const found: Remembered[] = []
  for await (const row of rows(options, profile.agent.id, context)) {
    const remembered = eventsOf(row, profile.agent.id, options)
    if (remembered !== undefined) found.push(remembered)
  }
  if (options.json) for (const remembered of found) io.stdout.write(`${JSON.stringify(remembered)}\n`)
  else for (const line of found.flatMap(linesOf)) io.stdout.write(`${oneLine(line)}\n`)
  if (found.length === 0) screen.complain(words.none(profile.agent.name))
  return exitCodes.ok
}

function linesOf({ conversation, events: remembered }: Remembered, at: number): readonly string[] {
  return [...(at === 0 ? [] : [""]), `# ${conversation}`, ...remembered.map(({ stamp, text }) => `${stamp} ${text}`)]
}

function eventsOf(row: StoreRow, agent: string, { conversation, grain }: EventsOptions): Remembered | undefined {
  if (row.table !== "session" || row.agent !== agent) return undefined
  if (conversation !== undefined && row.conversation !== conversation) return undefined
  const hooks = row.state.hooks as Readonly<Record<string, unknown>> | undefined
  const all = readState(hooks?.[virtualContextName]).events
  const chosen = all.filter((event) => grain === undefined || event.grain === grain).sort(inTime)
  return chosen.length === 0 ? undefined : { conversation: row.conversation, events: chosen }
}

async function* rows(options: EventsOptions, agent: string, context: CliContext): AsyncGenerator<StoreRow, void, undefined> {
  const store = options.from === undefined ? await openCliStore(options, context, { ifThere: true }) : undefined
  const lines = options.from === undefined ? store?.export({ agent }) : exported(options.from)
  let number = 0
  for await (const line of lines ?? []) if (line.trim() !== "") yield readStoreRow(line, ++number)
}

async function* exported(path: string): AsyncGenerator<string, void, undefined> {
  try {
    yield* createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (thrown) {
    throw new PromptStrataError("file-missing", `expected an export in ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: "Name a file of JSON lines, as a store's export writes it.",
    })
  }
}

/** The grains that `--grain` takes. */
export const grainChoices: readonly string[] = grains
