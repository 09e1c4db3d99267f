import type { Command } from "commander"
import { createUserProfileService } from "../../../memory/services/create-user-profile-service.ts"
import type { ProfileStatement } from "../../../memory/services/store/records.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import type { RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { terminalConversation, terminalUser } from "../open-agent.ts"
import { printColumns, zoneOf } from "./terminal-table.ts"
import { type OpenedStore, placeText, runOnStore, type StoreCommandOptions } from "./with-store.ts"

/** Adds the command `user show`. */
export function add(program: Command, run: RunCommand): void {
  const user = program.command("user").description("Print what is known about a user.")
  const show = user
    .command("show")
    .summary("print what a user said about themselves")
    .description("Print what a user said about themselves, with time and conversation, and earlier values.")
    .argument("[user]", "the user's id; the default is the user of terminal chats", terminalUser)
    .option("--json", "print it as JSON")
  runOnStore(show, run, userShow)
}

/** Prints what is known about a user: current values, then earlier ones. Resolves to the exit code. */
async function userShow(
  { context, store, profile, words, maxWidth }: OpenedStore,
  options: StoreCommandOptions,
  user: string,
): Promise<number> {
  const key = { agent: profile.agent.id, user, conversation: terminalConversation, audience: "private" } as const
  const known = await createUserProfileService({ records: store.users }).get(key)
  const { stdout } = context.io
  if (options.json) stdout.write(`${jsonLine({ user, ...known })}\n`)
  else if (known.fields.length === 0) context.screen.note(words.nothingKnown(terminalLine(user)))
  else {
    const table = (statements: readonly ProfileStatement[]): string =>
      printColumns(words.userColumns, statements.map(statementCells), maxWidth, zoneOf(profile))
    stdout.write(`${table(known.fields)}\n`)
    if (known.history.length > 0) stdout.write(`\n${words.earlier}\n${table(known.history)}\n`)
  }
  return exitCodes.ok
}

function statementCells({ name, value, ended, confidence, atMs, ...place }: ProfileStatement): readonly (string | number)[] {
  return [name, ended ? `– (${value})` : value, `${Math.round(confidence * 100)} %`, atMs, placeText(place)]
}
