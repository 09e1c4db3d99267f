import { type Command, InvalidArgumentError, Option } from "commander"
import { addStoreOptions } from "./add-store-options.ts"
import type { DoctorOptions } from "./doctor.ts"
import { doctorHelp, memoryHelp } from "./help-store.ts"
import type { MemoryForgetOptions } from "./memory-forget.ts"
import type { MemoryExportOptions, MemoryImportOptions } from "./memory-move.ts"
import type { MemoryListOptions, MemorySearchOptions, MemoryShowOptions } from "./memory-read.ts"
import type { MemoryReceiptsOptions } from "./memory-receipts.ts"
import type { UserShowOptions } from "./user.ts"

/** What the commands around the store do. */
export interface StoreCommands {
  readonly memoryList: (options: MemoryListOptions) => Promise<void>
  readonly memorySearch: (options: MemorySearchOptions) => Promise<void>
  readonly memoryShow: (options: MemoryShowOptions) => Promise<void>
  readonly memoryReceipts: (options: MemoryReceiptsOptions) => Promise<void>
  readonly memoryForget: (options: MemoryForgetOptions) => Promise<void>
  readonly memoryExport: (options: MemoryExportOptions) => Promise<void>
  readonly memoryImport: (options: MemoryImportOptions) => Promise<void>
  readonly userShow: (options: UserShowOptions) => Promise<void>
  readonly doctor: (options: DoctorOptions) => Promise<void>
}

/** Adds the commands `memory …`, `user show` and `doctor`. */
export function addMemory(program: Command, commands: StoreCommands): void {
  const memory = program
    .command("memory")
    .summary("what is remembered: list, search, show, receipts, forget, export, import")
    .description("Look at what a character remembers, take it along, or delete it.")
    .addHelpText("after", memoryHelp)
  addReading(memory, commands)
  addMoving(memory, commands)
  const user = program.command("user").summary("what users said of themselves").description("Look at what is known of a user.")
  shared(user.command("show").description("Print what a user said of themselves, with when and where, and what held before."))
    .argument("[user]", "the user's id; the one at the terminal is called user", "user")
    .option("--json", "print it as JSON", false)
    .action((id: string, given: Omit<UserShowOptions, "user">) => commands.userShow({ ...given, user: id }))
  shared(
    program
      .command("doctor")
      .summary("check the store")
      .description("Check the store: its file, its rows, jobs and background work."),
  )
    .option("--backup <file>", "write a copy of the embedded store to a new file, too")
    .option("--json", "print the findings as JSON", false)
    .addHelpText("after", doctorHelp)
    .action((given: DoctorOptions) => commands.doctor(given))
}

function addReading(memory: Command, { memoryList, memorySearch, memoryShow, memoryReceipts }: StoreCommands): void {
  scoped(memory.command("list").description("Print the newest memories, oldest first."))
    .option("--limit <count>", "at most so many", readCount, 20)
    .option("--all", "superseded ones too", false)
    .option("--json", "print a line of JSON for each", false)
    .action((given: MemoryListOptions) => memoryList(given))
  shared(memory.command("search").description("Print what a turn would recall for a question, and why."))
    .argument("<query>", "words or a question")
    .option("--user <id>", "whose memories", "user")
    .option("--conversation <name>", "what was said in this group instead")
    .option("--limit <count>", "at most so many", readCount, 10)
    .option("--json", "print a line of JSON for each", false)
    .action((query: string, given: Omit<MemorySearchOptions, "query">) => memorySearch({ ...given, query }))
  shared(memory.command("show").description("Print all that is kept of one memory."))
    .argument("<id>", "as `memory list` prints it")
    .option("--json", "print it as JSON", false)
    .action((id: string, given: Omit<MemoryShowOptions, "id">) => memoryShow({ ...given, id }))
  scoped(memory.command("receipts").description("Print the newest background work: how it went, and what it cost."))
    .option("--limit <count>", "at most so many", readCount, 20)
    .option("--json", "print a line of JSON for each", false)
    .action((given: MemoryReceiptsOptions) => memoryReceipts(given))
}

function addMoving(memory: Command, { memoryForget, memoryExport, memoryImport }: StoreCommands): void {
  scoped(
    memory.command("forget").description("Delete a user, a conversation, or with neither all that the agent keeps, for good."),
  )
    .option("--yes", "delete without asking", false)
    .action((given: MemoryForgetOptions) => memoryForget(given))
  scoped(
    memory.command("export").description("Write everything as lines of JSON: conversations, memories, users, background work."),
  )
    .option("--out <file>", "to a new file instead of stdout")
    .action((given: MemoryExportOptions) => memoryExport(given))
  shared(memory.command("import").description("Put an export back. What is there already stays as it is."))
    .argument("<file>", "an export; - for stdin")
    .action((file: string, given: Omit<MemoryImportOptions, "file">) => memoryImport({ ...given, file }))
}

function scoped(command: Command): Command {
  return shared(command)
    .addOption(new Option("--user <id>", "only what belongs to this user").conflicts("conversation"))
    .option("--conversation <name>", "only this conversation")
}

function shared(command: Command): Command {
  return addStoreOptions(command)
    .addOption(new Option("--profile <profile>", "a profile's name, or the path of its .toml file").default("fay"))
    .option("--locale <locale>", "language of the words here, such as en or zh-CN")
    .option("--data-dir <folder>", "where the embedded store lies", "./data")
    .option("--debug", "print where an error was thrown", false)
}

function readCount(value: string): number {
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError("Expected a whole number from 1 on.")
  return count
}
