import { lateMethods, onDemand } from "../../../core/late.ts"
import type { Clock, Timers } from "../../../core/ports.ts"
import { hostSecrets } from "../../../core/secrets/find-secrets.ts"
import { redacted } from "../../../core/secrets/redact.ts"
import type { ForgottenScope } from "../../../memory/services/store/forgetting.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import { type RecordParts, summaryOf, turnRecord } from "./build-record.ts"
import type { KeepOptions } from "./kept-records.ts"
import { type IsStored, showsMemory } from "./may-hold.ts"
import type { Recorder } from "./recorder.ts"
import type { TurnRecord, TurnSummary } from "./turn-record.ts"

/** The records that an inspector keeps on the disk. */
export interface KeptOnDisk {
  summaries(): Promise<readonly TurnSummary[]>
  read(id: string): Promise<TurnRecord | undefined>
  forget(scope: ForgottenScope, isStored: IsStored): Promise<number>
  /** Keeps no more. Resolves when everything is written. */
  close(): Promise<void>
}

/** The code for files is loaded when something is first kept or forgotten. */
const loadRecords = () => import("./kept-records.ts")

interface KeepParts {
  readonly clock: Clock
  readonly timers: Timers
  readonly parts: RecordParts
  readonly onWarning: (message: string) => void
}

/** Keeps each turn of a recorder on the disk once it has ended. Its record is made after the turn has given its answer. */
export function keepTurns(recorder: Recorder, options: KeepOptions, keep: KeepParts): KeptOnDisk {
  const { clock, timers, onWarning } = keep
  // Nothing would tell of the end of a job that runs while its turn is written.
  const ended: RecordParts["jobsOf"] = (turnId) => keep.parts.jobsOf(turnId).filter(({ state }) => state !== "running")
  const parts = { ...keep.parts, jobsOf: ended }
  const records = onDemand(async () => new (await loadRecords()).KeptRecords(options, clock, onWarning))
  const saves = new Set<Promise<void>>()
  // Jobs change a turn after its end too, and one that waited for an approval ends again.
  const saved = new WeakSet<TurnTrace>()
  recorder.listen((turnId) => {
    const turn = recorder.get(turnId)
    const { trace } = turn ?? {}
    if (!turn || !trace || saved.has(trace)) return
    saved.add(trace)
    const save = records()
      .then((kept) =>
        kept.save(turnId, async () => {
          await new Promise<void>((resolve) => timers.set(resolve, 0))
          // The store keeps the receipts, and most of them come later.
          const record = turnRecord(turn, parts, [])
          return { record, summary: summaryOf(turn, parts), hasMemory: showsMemory(trace, turn.context) }
        }),
      )
      .finally(() => saves.delete(save))
    saves.add(save)
  })
  return {
    ...lateMethods(records, "summaries read"),
    forget: async (scope, isStored) => (await records()).forget(redacted(scope, parts.find), isStored),
    close: async () => void (await Promise.all(saves)),
  }
}

/** Deletes the records of a folder that may hold words of a scope. Resolves to their number. */
export async function forgetKept(
  folder: string,
  scope: ForgottenScope,
  { isStored, onWarning }: { readonly isStored: IsStored; readonly onWarning: (message: string) => void },
): Promise<number> {
  const { KeptRecords } = await loadRecords()
  const all = { maxTurns: Infinity, maxBytes: Infinity, maxDays: Infinity }
  const records = new KeptRecords({ folder, ...all }, { nowMs: () => Date.now() }, onWarning)
  // Names in records are without secrets, too.
  return records.forget(redacted(scope, hostSecrets()), isStored)
}
