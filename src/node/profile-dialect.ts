import { didYouMean } from "../core/suggest.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { profileDefaults } from "../profile/defaults.ts"
import { knownDialects, loadDialect } from "./load-dialect.ts"
import { type ProfileSearch, promptSetting, report } from "./profile-search.ts"

/** The dialect that a profile names, compiled with the user's files; reports an unknown one and hands back none. */
export function findProfileDialect(search: ProfileSearch, folder: string | undefined): Dialect | undefined {
  const set = promptSetting(search, "dialect")
  const name = set?.value ?? profileDefaults.dialect
  const dialect = loadDialect({ name, locale: search.locale, ...(folder === undefined ? {} : { folder }) })
  if (dialect === undefined && set !== undefined) {
    const known = knownDialects(folder)
    const message = `expected a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`
    report(search, { document: set.document, path: ["prompt", "dialect"] }, { message })
  }
  return dialect
}
