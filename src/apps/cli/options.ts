import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"
import { messageOf, PromptStrataError } from "../../core/errors.ts"

/** The model at OpenAI's own server if none is named. */
export const defaultModel = "gpt-5-mini"

/** Options of every command that uses a profile. */
export interface CommonOptions {
  /** A profile's name or path. Default: the only one in `./profiles`, else a shipped one that the command names. */
  readonly profile?: string | undefined
  readonly locale?: string
  /** The folder of the embedded store and of the tools' files. It is created when something is first written. */
  readonly dataDir: string
  /** Print where an error was thrown. */
  readonly debug?: boolean
}

/** Options that choose a store. */
export interface StoreOptions {
  /** A folder, a `postgres://` URL, or `none`; false for `--no-store`. Default: `PROMPTSTRATA_STORE`, else the data folder. */
  readonly store?: string | false
  readonly dataDir: string
}

/** The folder in which `inspect --keep` keeps its turns. */
export function keptFolder({ dataDir }: Pick<CommonOptions, "dataDir">): string {
  return join(dataDir, "turns")
}

/** Says how a profile is named. */
export const profileText = "a profile's name, or the path of its .toml file"

/** Adds the argument `[profile]`. `shipped` is the default outside of a project with a profile of its own. */
export function addProfileArgument(command: Command, shipped: string): Command {
  return command.argument("[profile]", defaulted(shipped))
}

function defaulted(shipped: string): string {
  return `${profileText} (default: the only one in ./profiles, else ${shipped})`
}

export interface AddedOptions {
  /** Adds `--profile`, with this shipped default. */
  readonly profile?: string
  /** Adds the options of {@link StoreOptions}. `--no-store` is in the help only if the command works without a store. */
  readonly store?: "optional" | "required" | undefined
}

/** Adds the options of {@link CommonOptions} after the command's own options. */
export function addCommonOptions(command: Command, { profile, store }: AddedOptions): Command {
  command.optionsGroup("Common options:")
  if (profile !== undefined) command.option("--profile <profile>", defaulted(profile))
  if (store !== undefined) {
    command.option("--store <store>", "a folder, a postgres:// URL or none (default: $PROMPTSTRATA_STORE, else --data-dir)")
    command.addOption(new Option("--no-store", "keep nothing").hideHelp(store === "required"))
  }
  return command
    .option("--data-dir <folder>", "folder for the store and the tools' files", "./data")
    .option("--locale <locale>", "language: en or zh-CN (default: the profile's, else the environment's)")
    .option("--debug", "print the stack of an error")
    .helpOption("-h, --help", "print this help")
}

/** Reads an option that is a count. */
export function readCount(value: string): number {
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError("Expected a whole number of at least 1.")
  return count
}

/** Reads an option that is a limit: a count, or 0 for none. */
export function readLimit(value: string): number {
  return value === "0" ? Number.POSITIVE_INFINITY : readCount(value)
}

/** Reads an option that is a time in seconds. */
export function readSeconds(value: string): number {
  const seconds = Number(value)
  if (value.trim() === "" || !Number.isFinite(seconds) || seconds < 0)
    throw new InvalidArgumentError("Expected a number of seconds of at least 0.")
  return seconds
}

/** Reads an option that may be given several times. */
export function collectValues(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

/** The text of a file that an option or argument names, without its byte order mark. Throws `usage` if it cannot be read. */
export function readNamedFile(path: string, what: string, hint?: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/u, "")
  } catch (cause) {
    const message = `expected ${what} at ${path}, which cannot be read: ${messageOf(cause)}.`
    throw new PromptStrataError("usage", message, { hint, cause })
  }
}
