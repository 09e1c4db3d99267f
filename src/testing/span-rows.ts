import { formatSource, type Source } from "../core/source.ts"
import type { Assembly, Span } from "../core/span.ts"

/** The columns of {@link spanRows}. */
export const spanColumns = ["message", "key", "trust", "stability", "source", "tokens", "share"] as const

/** One row per run of neighbouring spans of one key in one message, in order. */
export function spanRows(assembly: Assembly): readonly (readonly (string | number)[])[] {
  return runsOf(assembly.spans).map((spans) => {
    const [first] = spans
    const values = spans.filter((span) => span.part === "content")
    const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
    return [
      first.message + 1,
      `${first.key === "" ? "(prompt)" : first.key}${spans.some((span) => span.part === "notice") ? " (cut)" : ""}`,
      distinct((values.length > 0 ? values : spans).map((span) => span.trust)),
      distinct(spans.map((span) => span.stability)),
      distinct(spans.flatMap((span) => (span.source ? [shownSource(span.source)] : []))),
      tokens,
      `${assembly.tokens === 0 ? 0 : ((100 * tokens) / assembly.tokens).toFixed(1)} %`,
    ]
  })
}

function runsOf(spans: readonly Span[]): readonly (readonly [Span, ...Span[]])[] {
  const runs: [Span, ...Span[]][] = []
  for (const span of spans) {
    const run = runs.at(-1)
    if (run && run[0].key === span.key && run[0].message === span.message) run.push(span)
    else runs.push([span])
  }
  return runs
}

/** Without the column: a run of spans would name every column of a line. */
function shownSource({ file, line }: Source): string {
  return formatSource({ file, line })
}

function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(", ")
}
