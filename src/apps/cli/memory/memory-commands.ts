import { type Command, Option } from "commander"
import { roughCounter } from "../../../core/ports.ts"
import { createUserProfileService } from "../../../memory/services/create-user-profile-service.ts"
import { type ForgottenScope, onForget } from "../../../memory/services/store/forgetting.ts"
import { storeTables } from "../../../memory/services/store/store-row.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import type { IsStored } from "../../server/inspector/may-hold.ts"
import { clockOf, type RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { keptFolder } from "../options.ts"
import { askLine } from "../terminal-confirm.ts"
import { chatWords, type StoreWords } from "../words/command-words.ts"
import { addExport, addImport } from "./export-import.ts"
import { addList, addReceipts, addShow, addWhy, memoryOfId } from "./print-memories.ts"
import { countsText, type OpenedStore, runOnStore, type StoreCommandOptions, scopeBy, storedRows } from "./with-store.ts"

interface ForgetOptions extends StoreCommandOptions {
  readonly yes?: boolean
}

/** Adds the command `memory forget`. */
function addForget(memory: Command, run: RunCommand): void {
  const command = memory
    .command("forget")
    .summary("delete a memory, a user, a conversation or everything")
    .description(
      "Permanently delete one memory with all that was drawn with it, a user, a conversation or, with none of these, everything that the character stored.",
    )
    .argument("[id]", "a memory, as memory list and memory why print it")
    .addOption(new Option("--user <id>", "delete everything about this user").conflicts("conversation"))
    .option("--conversation <name>", "delete this conversation")
    .option("--yes", "delete without asking")
  runOnStore(command, run, memoryForget)
}

/** Deletes everything in a scope after a confirmation. Resolves to the exit code. */
async function memoryForget(opened: OpenedStore, options: ForgetOptions, id: string): Promise<number> {
  const { context, store, profile, words } = opened
  const { screen } = context
  onForget(store.jobs, (scope) => forgetTurns(opened, options, scope))
  const { receipts, jobs: runner, memories } = store
  const onWarning = ({ message }: { readonly message: string }): void => screen.note(terminalLine(context.translate(message)))
  const memory = { get: memories.get.bind(memories) }
  const userProfile = createUserProfileService({ records: store.users })
  const around = { store, receipts, runner, memory, userProfile, confirm: undefined, ports: { counter: roughCounter }, onWarning }
  for (const { documents } of profile.plugins) documents?.attach(around)
  if (id !== "") return forgetById(opened, options, id)
  const scope = scopeBy(profile, options)
  const owned = Object.groupBy(await storedRows(store, scope, storeTables), ({ table }) => table)
  const rows = countsText(Object.fromEntries(Object.entries(owned).map(([table, found]) => [table, found.length])))
  if (rows === "") {
    await forgetTurns(opened, options, scope)
    screen.note(words.nothingToForget)
    return exitCodes.ok
  }
  screen.note(words.forgets(scopeText(options, { agent: profile.agent.name, words }), rows))
  const refusal = await refusalOf(opened, options)
  if (refusal !== undefined) return refusal
  screen.note(words.forgotten(countsText(await store.forget(scope))))
  screen.note(screen.paint("dim", words.filesStay))
  return exitCodes.ok
}

/** Deletes the turns of `inspect --keep` that may hold words of a scope. */
async function forgetTurns({ context, store, words }: OpenedStore, options: ForgetOptions, scope: ForgottenScope): Promise<void> {
  const { screen } = context
  const { forgetKept } = await import("../../server/inspector/keep-turns.ts")
  const isStored: IsStored = async (session) => (await store.load(session, { last: 1 })) !== undefined
  const onWarning = (message: string): void => screen.note(terminalLine(context.translate(message)))
  const count = await forgetKept(keptFolder(options), scope, { isStored, onWarning })
  if (count > 0) screen.note(words.turnsForgotten(count))
}

/** Deletes one memory with all that was drawn with it, after a confirmation. */
async function forgetById(opened: OpenedStore, options: ForgetOptions, id: string): Promise<number> {
  const { context, store, profile, words } = opened
  const { screen } = context
  const memory = await memoryOfId(opened, scopeBy(profile, options), id)
  if (memory === undefined) return exitCodes.failed
  screen.note(words.forgetsMemory(terminalLine(memory.text)))
  const refusal = await refusalOf(opened, options)
  if (refusal !== undefined) return refusal
  const { agent, conversation, audience, user } = memory
  const atMs = clockOf(context).nowMs()
  const { memories, statements } = await store.memories.forget([id], { atMs, key: { agent, conversation, audience, user } })
  screen.note(words.memoryForgotten(memories, statements))
  screen.note(screen.paint("dim", words.messagesStay))
  return exitCodes.ok
}

/** Asks if it shall be deleted. Returns the exit code if not. */
async function refusalOf({ context, profile, words }: OpenedStore, options: ForgetOptions): Promise<number | undefined> {
  if (options.yes) return undefined
  if (context.io.stdin.isTTY !== true) {
    context.screen.complain(words.needsYes)
    return exitCodes.usage
  }
  const { yes } = chatWords(profile.locale)
  const answer = await askLine(context, `${words.sure} `, new AbortController().signal)
  if (yes.includes(answer.trim().toLowerCase())) return undefined
  context.screen.note(words.notForgotten)
  return exitCodes.ok
}

function scopeText(
  { user, conversation }: StoreCommandOptions,
  { agent, words: { scopes } }: { readonly agent: string; readonly words: StoreWords },
): string {
  if (user !== undefined) return scopes.user(terminalLine(user))
  return conversation === undefined ? scopes.all(agent) : scopes.conversation(terminalLine(conversation))
}

/** Adds the commands below `memory`. */
export function add(program: Command, run: RunCommand): void {
  const memory = program.command("memory").description("List, search, export, import or delete what a character remembers.")
  for (const add of [addList, addWhy, addShow, addReceipts, addForget, addExport, addImport]) add(memory, run)
}
