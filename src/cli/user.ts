import type { ProfileStatement } from "../services/store/records.ts"
import { createUserProfileService } from "../services/user-profile.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { momentText, printTable } from "./table.ts"
import { oneLine } from "./terminal-text.ts"
import { type StoreCommandOptions, withStore } from "./with-store.ts"

/** What `user show` was asked for. */
export interface UserShowOptions extends StoreCommandOptions {
  readonly user: string
  readonly json: boolean
}

/** Prints what a user said of themselves: what holds, and what held before. Resolves to the exit code. */
export function userShow(options: UserShowOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words, width }) => {
    const { user } = options
    const key = { agent: profile.agent.id, user, conversation: "terminal", audience: "private" } as const
    const known = await createUserProfileService({ records: store.users }).get(key)
    const { stdout } = context.io
    if (options.json) stdout.write(`${jsonLine({ user, ...known })}\n`)
    else if (known.fields.length === 0) context.screen.note(words.nothingKnown(oneLine(user)))
    else {
      stdout.write(`${printTable(words.userColumns, known.fields.map(statementCells), width)}\n`)
      if (known.history.length > 0)
        stdout.write(`\n${words.heldBefore}\n${printTable(words.userColumns, known.history.map(statementCells), width)}\n`)
    }
    return exitCodes.ok
  })
}

function statementCells({ name, value, confidence, atMs, conversation, audience }: ProfileStatement): readonly string[] {
  const where = audience === "group" ? `#${conversation}` : conversation
  return [name, value, `${Math.round(confidence * 100)} %`, momentText(atMs), where]
}
