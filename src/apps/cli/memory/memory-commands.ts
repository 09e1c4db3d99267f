import type { Command } from "commander"
import type { RunCommand } from "../context.ts"
import { textAfter } from "../words/help.ts"
import { addWhy } from "./explain-recall.ts"
import { addExport, addImport } from "./export-import.ts"
import { addForget } from "./forget.ts"
import { addList, addReceipts, addSearch, addShow } from "./print-memories.ts"

const help = `
The default store is the file .promptstrata/store.sqlite in the data folder. In a terminal chat, the user's id is
"user" and the conversation's name is "terminal"; after /new it is "terminal-2" and so on.

Examples:
  promptstrata memory list
  promptstrata memory search "what do I like to drink?"
  promptstrata memory why "what do I like to drink?"
  promptstrata memory receipts --user tg:4711
  promptstrata memory forget turn-12:0
  promptstrata memory forget --user tg:4711
  promptstrata memory export --out backup.jsonl
  promptstrata memory import backup.jsonl --data-dir ./elsewhere`

/** Adds the commands below `memory`. */
export function addMemory(program: Command, run: RunCommand): void {
  const memory = program
    .command("memory")
    .summary("list, search, export or delete memories")
    .description("List, search, export, import or delete what a character remembers.")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", textAfter(help))
  for (const add of [addList, addSearch, addWhy, addShow, addReceipts, addForget, addExport, addImport]) add(memory, run)
}
