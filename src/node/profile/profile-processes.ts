import { didYouMean } from "../../core/suggest.ts"
import { defaultProcessDialect } from "../../profile/keys/processes.ts"
import type { Profile } from "../../profile/profile.ts"
import type { ProfileFile } from "../../profile/profile-file-keys.ts"
import { knownDialects, readDialect } from "../read-dialect.ts"
import { type ProfileSearch, report } from "./profile-chain.ts"

/** The processes of a file (R25), each with its dialect compiled from the user's files. Reports a dialect that is not there. */
export function findProcesses(search: ProfileSearch, file: ProfileFile, folder: string | undefined): Profile["processes"] {
  const found = Object.entries(file.processes ?? {}).map(([name, { dialect: named = defaultProcessDialect, ...settings }]) => {
    const dialect = readDialect({ name: named, locale: search.locale, folder })
    if (dialect === undefined) reportDialect(search, name, named, knownDialects(folder))
    return [name, { ...settings, dialect }] as const
  })
  return Object.fromEntries(found)
}

function reportDialect(search: ProfileSearch, process: string, dialect: string, known: readonly string[]): void {
  const document = search.chain.find(({ settings }) => settings.processes?.[process]?.dialect !== undefined)
  if (document === undefined) return
  const message = `expected a dialect (${known.join(", ")}), found ${JSON.stringify(dialect)}.${didYouMean(dialect, known)}`
  report(search, { document, path: ["processes", process, "dialect"] }, message)
}
