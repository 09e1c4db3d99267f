import type { KeptRun } from "../../core/conversation.ts"
import { recordOf } from "../../core/json-access.ts"
import { defined, filled } from "../../core/value.ts"
import type { HistorySettings } from "../../profile/profile.ts"
import { isSentence, type ToolRun } from "../../prompt/tools/tool.ts"
import type { TurnContext, TurnProgress } from "../turn/turn-context.ts"

/** The tool runs that history keeps, each with the step in which the model asked for it, also those of a step that waits. */
export function keptRuns({ steps, open }: TurnProgress, toolRuns: HistorySettings["toolRuns"]): KeptRun[] {
  const kept: KeptRun[] = []
  const waiting = open.step?.mode === "native" ? [{ ...open.step, type: "native" as const }] : []
  for (const [at, step] of [...steps, ...waiting].entries()) {
    if (toolRuns === "drop" || (toolRuns === "auto" && step.type !== "native") || step.type === "fault") continue
    const runs = step.type === "native" ? step.runs : [step.run]
    for (const [index, run] of runs.entries()) {
      const call = step.type === "native" ? step.calls[index] : undefined
      if (run) kept.push(keptRun(run, { step: at, id: call?.id ?? run.id, providerData: call?.providerData }))
    }
  }
  return kept
}

/** True if a turn forgot something, which stands in its own runs, memories and words too; also before it waited. */
export function hasForgotten({ input: { resumes }, progress }: TurnContext): boolean {
  return resumes?.open.forgot === true || progress.log.records.some(({ kind }) => kind === "forget")
}

/** A run as history keeps it. A repeat shows its attachments no second time. */
function keptRun(run: ToolRun, call: Pick<KeptRun, "step" | "id" | "providerData">): KeptRun {
  const { tool, args, result, status, parts = [], repeatOf } = run
  const attachments = repeatOf === undefined ? filled(parts.map(({ attachment }) => attachment)) : undefined
  const marks = { failed: status === "failed" || undefined, sentence: isSentence(run) || undefined, attachments }
  const providerData = recordOf(call.providerData).turnOnly === true ? undefined : call.providerData
  return { step: call.step, id: call.id, tool, args, result, ...defined({ ...marks, providerData }) }
}

/** Of the bytes that came up in a turn those whose id stands in some plain JSON. */
export function namedBytes(bytes: ReadonlyMap<string, Uint8Array>, value: unknown): readonly Uint8Array[] {
  if (bytes.size === 0) return []
  const text = JSON.stringify(value)
  return [...bytes].flatMap(([id, each]) => (text.includes(id) ? [each] : []))
}
