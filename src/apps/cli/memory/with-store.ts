import type { Command } from "commander"
import type { DatabaseStore } from "../../../adapters/stores/database-store.ts"
import type { ServiceKey } from "../../../core/conversation.ts"
import type { Store, StoreScope } from "../../../memory/services/store/store.ts"
import { linesBeforeEnd, readStoreRow, type StoreRow } from "../../../memory/services/store/store-row.ts"
import type { Profile } from "../../../profile/profile.ts"
import { type CliContext, notesOn, type RunCommand } from "../context.ts"
import { columnsOf, exitCodes } from "../io.ts"
import { hasEarlierDefault, openProfile } from "../open-agent.ts"
import { openCliStore, storePlace } from "../open-store.ts"
import { addCommonOptions, type CommonOptions, type StoreOptions } from "../options.ts"
import { type StoreWords, storeWords } from "../words/command-words.ts"

/** Options of commands that work on a store. Without a user or a conversation: everything of the profile's agent. */
export interface StoreCommandOptions extends CommonOptions, StoreOptions {
  readonly user?: string
  readonly conversation?: string
  readonly json?: boolean
}

/** An opened store and everything else that a command on it needs. */
export interface OpenedStore {
  readonly context: CliContext
  readonly store: DatabaseStore
  readonly profile: Profile
  readonly words: StoreWords
  /** The columns of the terminal; unlimited if output goes elsewhere. */
  readonly maxWidth: number | undefined
}

/** Adds the options of {@link StoreCommandOptions}. */
export function addStoreCommandOptions(command: Command): Command {
  return addCommonOptions(command, { profile: "layered", store: "required" })
}

/** Makes `work`, which resolves to the exit code, the action of a command: it gets the opened store, the options and the argument. `withoutStore` does what needs none, and is undefined for all else. */
export function runOnStore<Options extends StoreCommandOptions>(
  command: Command,
  run: RunCommand,
  work: (opened: OpenedStore, options: Options, argument: string) => Promise<number>,
  withoutStore: (options: Options, context: CliContext) => Promise<number> | undefined = () => undefined,
): void {
  addStoreCommandOptions(command).action(() => {
    const options = command.opts<Options>()
    const [argument = ""] = command.processedArgs as readonly (string | undefined)[]
    const open = (context: CliContext) => withStore(options, context, (opened) => work(opened, options, argument))
    return run((context) => withoutStore(options, context) ?? open(context), { debug: options.debug })
  })
}

/** Opens the profile and its store. Without a store, which is made if `ifThere` is false, it prints an error. Resolves to the exit code. */
export async function withStore(
  options: StoreCommandOptions,
  context: CliContext,
  work: (opened: OpenedStore) => Promise<number>,
  { ifThere = true }: { readonly ifThere?: boolean } = {},
): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, context)
  const words = storeWords(profile.locale)
  const store = await openCliStore(options, context, { ifThere })
  if (store && ifThere && (await hasEarlierDefault(store, profile, options))) notesOn(context)(words.earlierDefault)
  if (store !== undefined) return work({ context, store, profile, words, maxWidth: columnsOf(io.stdout) })
  const place = storePlace(options, io.env)
  screen.complain(place === undefined ? words.storeOff : words.noStore(place))
  return exitCodes.failed
}

/** The scope that the options name. A user takes precedence over a conversation. */
export function scopeBy({ agent }: Profile, { user, conversation }: StoreCommandOptions): StoreScope {
  if (user !== undefined) return { agent: agent.id, user }
  return conversation === undefined ? { agent: agent.id } : { agent: agent.id, conversation }
}

/** The rows of a scope in some tables, in the order of an export. */
export async function storedRows<Table extends StoreRow["table"]>(
  store: Store,
  scope: StoreScope,
  tables: readonly Table[],
): Promise<readonly (StoreRow & { readonly table: Table })[]> {
  const isWanted = (row: StoreRow): row is StoreRow & { readonly table: Table } =>
    (tables as readonly string[]).includes(row.table)
  const rows: (StoreRow & { readonly table: Table })[] = []
  for await (const row of rowsIn(store.export(scope))) if (isWanted(row)) rows.push(row)
  return rows
}

/** The rows in the lines of an export. */
export async function* rowsIn(lines: AsyncIterable<string>): AsyncGenerator<StoreRow, void, undefined> {
  let number = 0
  for await (const line of lines) if (line.trim() !== "" && linesBeforeEnd(line) === undefined) yield readStoreRow(line, ++number)
}

/** Row counts in one line, with the tables' own names: `session 2, message 14`. Empty if there are no rows. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")
}

/** A conversation in a table: a group is marked by `#`. */
export function placeText({ conversation, audience }: Pick<ServiceKey, "conversation" | "audience">): string {
  return audience === "group" ? `#${conversation}` : conversation
}
