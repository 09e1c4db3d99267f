import { type Command, Option } from "commander"
import { terminalLine } from "../../encode/terminal-text.ts"
import { storeTables } from "../../services/store/store-row.ts"
import type { RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { askLine } from "../terminal-confirm.ts"
import { chatWords } from "../words/chat-words.ts"
import type { StoreWords } from "../words/store-words.ts"
import { countsText, type OpenedStore, runOnStore, type StoreCommandOptions, scopeOf, storedRows } from "./with-store.ts"

interface ForgetOptions extends StoreCommandOptions {
  readonly yes?: boolean
}

/** Adds the command `memory forget`. */
export function addForget(memory: Command, run: RunCommand): void {
  const command = memory
    .command("forget")
    .summary("delete a user, a conversation or everything")
    .description("Permanently delete a user, a conversation or, with neither option, everything that the character stored.")
    .addOption(new Option("--user <id>", "delete everything about this user").conflicts("conversation"))
    .option("--conversation <name>", "delete this conversation")
    .option("--yes", "delete without asking")
  runOnStore(command, run, memoryForget)
}

/** Deletes everything in a scope after a confirmation. Resolves to the exit code. */
async function memoryForget({ context, store, profile, words }: OpenedStore, options: ForgetOptions): Promise<number> {
  const { screen } = context
  const scope = scopeOf(profile, options)
  const owned = Object.groupBy(await storedRows(store, scope, storeTables), ({ table }) => table)
  const rows = countsText(Object.fromEntries(Object.entries(owned).map(([table, found]) => [table, found.length])))
  if (rows === "") {
    screen.note(words.nothingToForget)
    return exitCodes.ok
  }
  screen.note(words.forgets(scopeText(options, { agent: profile.agent.name, words }), rows))
  if (!options.yes) {
    if (context.io.stdin.isTTY !== true) {
      screen.complain(words.needsYes)
      return exitCodes.usage
    }
    const { yes } = chatWords(profile.locale)
    const answer = await askLine(context, `${words.sure} `, new AbortController().signal)
    if (!yes.includes(answer.trim().toLowerCase())) {
      screen.note(words.notForgotten)
      return exitCodes.ok
    }
  }
  screen.note(words.forgotten(countsText(await store.forget(scope))))
  screen.note(screen.paint("dim", words.filesStay))
  return exitCodes.ok
}

function scopeText(
  { user, conversation }: StoreCommandOptions,
  { agent, words: { scopes } }: { readonly agent: string; readonly words: StoreWords },
): string {
  if (user !== undefined) return scopes.user(terminalLine(user))
  return conversation === undefined ? scopes.all(agent) : scopes.conversation(terminalLine(conversation))
}
