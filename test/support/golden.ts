import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The golden texts. */
export const goldenFolder = fileURLToPath(new URL("../golden/", import.meta.url))

/** A golden text without the newline that ends its file. */
export function golden(name: string): string {
  return readFileSync(goldenFolder + name, "utf8").replace(/\n$/, "")
}
