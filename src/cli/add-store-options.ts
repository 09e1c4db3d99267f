import type { Command } from "commander"

/** Adds the options that choose a store. */
export function addStoreOptions(command: Command): Command {
  return command
    .option("--store <where>", "a folder, a postgres:// URL, or none; default: PROMPTSTRATA_STORE, else the data folder")
    .option("--no-store", "keep nothing beyond this run")
}
