import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The golden texts, beside the checkout. */
export const goldenFolder = fileURLToPath(new URL("../../../shared/spec/golden/", import.meta.url))

/** True when the golden texts stand beside the checkout. */
export const goldensPresent = existsSync(goldenFolder)
if (!goldensPresent) console.log(`skipped: no golden texts at ${goldenFolder}`)

/** A golden text without the newline that ends its file. */
export function golden(name: string): string {
  return readFileSync(goldenFolder + name, "utf8").replace(/\n$/, "")
}
