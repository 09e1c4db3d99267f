import type { DialectSource } from "./compile-dialect.ts"
import { dialectFiles } from "./prompt-library.ts"
import { shipped } from "./shipped.ts"
import { readFolder } from "./shipped-files.ts"

/** The files of a shipped dialect, not compiled. To change some, use `overlayDialect`, then `compileDialect`. */
export function shippedDialectFiles(name: string, locale: string): Required<DialectSource> {
  return dialectFiles({ ...shipped, read: readFolder }, name, locale)
}
