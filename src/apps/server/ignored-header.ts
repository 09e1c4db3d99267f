/** Clients refuse answers with longer headers than some 16,000 characters. */
const maxHeaderLength = 4_000

/** The header that names the fields of a request that were ignored, if any were. */
export function ignoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> {
  const names = ignored.map((name) => encodeURIComponent(name.toWellFormed())).join(", ")
  const shown = names.length > maxHeaderLength ? `${names.slice(0, maxHeaderLength)}...` : names
  return ignored.length > 0 ? { "x-promptstrata-ignored": shown } : {}
}
