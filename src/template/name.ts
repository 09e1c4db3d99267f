import { lazyPattern } from "../core/lazy-pattern.ts"
import { type Scanner, scanPattern } from "./scanner.ts"

const pattern = lazyPattern(String.raw`[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*`, "uy")

/** Reads a name: letters of any script, digits, `_` and `-`, with dots between; `""` where there is none. */
export function scanName(scanner: Scanner): string {
  return scanPattern(scanner, pattern())
}
