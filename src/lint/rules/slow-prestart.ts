import type { Profile } from "../../profile/profile.ts"
import type { LintContext, LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Prestart tools whose median time, over the given traces, passes half of their limit (T37): every answer waits for them. */
export const slowPrestart = lintRule(
  "slow-prestart",
  "A prestart tool whose median time in the given traces passes half of its time limit.",
  ({ profiles, traces }) => profiles.filter(({ linted }) => linted).flatMap((profile) => inProfile(profile, traces)),
)

function inProfile({ profile, file, documents }: LintProfile, traces: LintContext["traces"]): LintFinding[] {
  if (profile === undefined || traces.length === 0) return []
  return profile.prestart.flatMap((entry, at) => {
    const times = traces.flatMap(({ prestart }) =>
      prestart.filter(({ tool }) => tool === entry.tool).map(({ durationMs }) => durationMs),
    )
    const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
    const limitMs = limitOf(entry, profile)
    if (median <= limitMs / 2) return []
    const document = documents.find(({ data }) => data.prestart !== undefined)
    return [
      {
        severity: "warning",
        message: `prestart tool ${entry.tool}: expected a median of at most ${limitMs / 2} ms, half its limit, found ${median} ms over ${times.length} runs.`,
        ...(document === undefined
          ? { file, line: 1, column: 1 }
          : { file: document.file, ...document.locate(["prestart", at, "tool"]) }),
        hint: "Every answer waits for it: make it faster, or let the planner call it when it is needed.",
      },
    ]
  })
}

function limitOf({ timeoutMs }: Profile["prestart"][number], { limits }: Profile): number {
  return timeoutMs ?? limits.prestartMs
}
