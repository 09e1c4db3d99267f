import type { CutSize } from "../../core/span.ts"
import type { Injection } from "../../core/value.ts"
import { canShorten, shrinkTo, sizeOf } from "./shrink.ts"
import { dropAgain } from "./shrink-entries.ts"
import type { Notices, Shrunk } from "./shrunk.ts"

/** Applies what an earlier step of the turn decided, so that every step cuts the same (design, rule 6). */
export function applyCut(injection: Injection, cut: CutSize, notices: Notices): Shrunk | undefined {
  if ("dropped" in cut || !canShorten(injection)) return undefined
  if (Array.isArray(injection.content)) return "entries" in cut ? dropAgain(injection, cut, notices) : undefined
  if ("entries" in cut) return undefined
  return cut.characters < sizeOf(injection) ? shrinkTo(injection, cut.characters, notices) : undefined
}
