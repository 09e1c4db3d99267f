import { storeTables } from "../services/store/store-row.ts"
import { askLine } from "./ask-line.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { countsText, storedRows } from "./stored-rows.ts"
import { oneLine } from "./terminal-text.ts"
import { type ScopeOptions, type StoreCommandOptions, scopeOf, withStore } from "./with-store.ts"
import { wordsFor } from "./words.ts"
import type { StoreWords } from "./words-store.ts"

/** What `memory forget` was asked for: a user, a conversation, or all of the agent. */
export interface MemoryForgetOptions extends StoreCommandOptions, ScopeOptions {
  readonly yes: boolean
}

/** Deletes all that a scope owns, after a question. Resolves to the exit code. */
export function memoryForget(options: MemoryForgetOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words }) => {
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
      const { yes } = wordsFor(profile.locale)
      const answer = await askLine(context, `${words.sure} `, new AbortController().signal)
      if (!yes.includes(answer.trim().toLowerCase())) {
        screen.note(words.notForgotten)
        return exitCodes.ok
      }
    }
    screen.note(words.forgotten(countsText(await store.forget(scope)) || "0"))
    screen.note(screen.paint("dim", words.filesStay))
    return exitCodes.ok
  })
}

function scopeText(
  { user, conversation }: ScopeOptions,
  { agent, words: { scopes } }: { readonly agent: string; readonly words: StoreWords },
): string {
  if (user !== undefined) return scopes.user(oneLine(user))
  return conversation === undefined ? scopes.all(agent) : scopes.conversation(oneLine(conversation))
}
