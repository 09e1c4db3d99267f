import type { Command } from "commander"
import type { RunCommand } from "../context.ts"
import { addExport, addImport } from "./export-import.ts"
import { addForget } from "./forget.ts"
import { addList, addReceipts, addShow, addWhy } from "./print-memories.ts"

/** Adds the commands below `memory`. */
export function add(program: Command, run: RunCommand): void {
  const memory = program.command("memory").description("List, search, export, import or delete what a character remembers.")
  for (const add of [addList, addWhy, addShow, addReceipts, addForget, addExport, addImport]) add(memory, run)
}
