import { finding, profileRule } from "../rule.ts"

/** Prestart tools whose median time in the given traces is over half of their limit (T37): every answer waits for them. */
export const slowPrestart = profileRule(
  "slow-prestart",
  "A prestart tool whose median time in the given traces is over half of its time limit.",
  ({ profile, file, documents }, { traces }) =>
    (profile?.prestart ?? []).flatMap(({ tool, timeoutMs }, at) => {
      const runs = traces.flatMap(({ prestart }) => prestart).filter((run) => run.tool === tool && run.repeatOf === undefined)
      const median = medianOf(runs.map(({ durationMs }) => durationMs))
      const maxMs = (timeoutMs ?? profile?.limits.prestartMs ?? 0) / 2
      if (median <= maxMs) return []
      const document = documents.find(({ data }) => data.prestart !== undefined)
      const message = `prestart tool ${tool}: expected a median of at most ${maxMs} ms, half its limit, found ${median} ms over ${runs.length} runs.`
      const hint = "Every answer waits for it: make it faster, or let the planner call it when it is needed."
      return [finding(document?.file ?? file, message, { ...document?.locate(["prestart", at, "tool"]), hint })]
    }),
)

/** A longer result takes too much of the prompt of every later step. */
const maxCharacters = 2_000

/** Tools whose results in the given traces are long (T37). */
export const longResults = profileRule(
  "long-results",
  `A tool whose median result in the given traces is longer than ${maxCharacters} characters.`,
  ({ file, profile }, { traces }) => {
    if (profile === undefined) return []
    const runs = traces
      .flatMap(({ prestart, runs: planned }) => [...prestart, ...planned])
      .filter(({ status }) => status === "ok")
    return [...Map.groupBy(runs, ({ tool }) => tool)].flatMap(([tool, results]) => {
      const median = medianOf(results.map(({ result, cappedFromCharacters }) => cappedFromCharacters ?? result.length))
      if (median <= maxCharacters) return []
      const message = `tool ${tool}: expected results of at most ${maxCharacters} characters, found a median of ${median} over ${results.length} runs.`
      const hint = "Let the tool return what answers the question, not all that it knows; or set [tools] max_result_characters."
      return [finding(file, message, { hint })]
    })
  },
)

/** A greater share of the budget that the window of history leaves free is told. */
const mostFree = 0.25

/** Windows of history that leave much of the budget free in the given traces (S16). */
export const windowRoom = profileRule(
  "window-room",
  `A window of history whose steps leave more than ${mostFree * 100} % of the budget free, as the median of the given traces.`,
  ({ profile, file, documents }, { traces }) => {
    const rooms = traces.flatMap(({ steps }) => steps?.[0]?.assembly?.windowRoom ?? [])
    const free = medianOf(
      rooms.map(({ budgetTokens, freeTokens, reservedTokens }) => (freeTokens - reservedTokens) / budgetTokens),
    )
    if (profile === undefined || profile.history.window === "fill" || free <= mostFree) return []
    const document = documents.find(({ data }) => data.history !== undefined)
    const found = `found a median of ${Math.round(free * 100)} % over ${rooms.length} turns`
    const message = `expected a window of history that leaves at most ${mostFree * 100} % of the budget free, ${found}.`
    const hint =
      'History is cut in steps, so that a provider\'s cache serves its beginning over many turns. window = "fill" in [history] cuts no more than needed, and the cache serves less.'
    return [finding(document?.file ?? file, message, { ...document?.locate(["history", "window"]), hint })]
  },
)

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
