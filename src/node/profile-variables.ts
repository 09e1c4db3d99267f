import type { TrustedText } from "../core/value.ts"
import { promptSlots } from "../layers/prompt-names.ts"
import { type ProfileSearch, report } from "./profile-search.ts"
import type { ProfileDocument } from "./read-profile-file.ts"
import { offsetOf } from "./toml-positions.ts"

/** The `[variables]` of a chain of profiles, the nearest first; numbers become text, and text knows the line it stands in. */
export function profileVariables(chain: readonly ProfileDocument[]): Record<string, boolean | TrustedText> {
  return Object.fromEntries(chain.toReversed().flatMap(variablesOf))
}

/** Reports variables with the name of what the agent itself puts into prompts: they would take its place, or hide behind it. */
export function checkVariables(search: ProfileSearch): void {
  for (const document of search.chain) {
    for (const name of Object.keys(document.data.variables ?? {})) {
      if (!promptSlots.some((slot) => slot === name)) continue
      const message = `expected a name of your own, found ${JSON.stringify(name)}, which stands for what the agent itself puts into prompts.`
      report(search, { document, path: ["variables", name] }, { message, note: `Rename it, such as my_${name}.` })
    }
  }
}

function variablesOf(document: ProfileDocument): [string, boolean | TrustedText][] {
  const lineOf = lineFinder(document.text)
  return Object.entries(document.data.variables ?? {}).map(([key, value]) => {
    if (typeof value === "boolean") return [key, value]
    const line = lineOf(offsetOf(document.positions, ["variables", key]))
    return [key, { text: String(value), trust: "author", source: { file: document.file, line } }]
  })
}

/** Finds lines of rising and falling offsets alike without reading the text again for each. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
