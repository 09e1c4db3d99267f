import type { Assembly } from "../../src/core/span.ts"
import { formatAssembly } from "../../src/testing/format-assembly.ts"

/** A prompt as its golden file holds it: with what was cut, but not the sentences that say why, of which other tests hold each one once. */
export const promptGolden = (assembly: Assembly): string =>
  formatAssembly({ ...assembly, decisions: assembly.decisions.map((decision) => ({ ...decision, reason: "" })) })
