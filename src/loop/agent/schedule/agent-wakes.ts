import { lateMethods } from "../../../core/late.ts"
import type { BackgroundJob } from "../../../memory/services/background/background-job.ts"
import type { SetAsideContext, TurnHook } from "../../../memory/services/turn-hook.ts"
import type { Wakes } from "../../../memory/services/wakes.ts"
import { loadAside } from "../borders/load-aside.ts"
import { type KeptReminders, reminderOwner } from "../note-hooks.ts"
import type { RingParts } from "./ring-wakes.ts"

/**
 * Makes the wakes of an agent: the service, the jobs by which they ring, and the hook that shows those that nobody could deliver. Their code is loaded when one is set or rings. Wakes ring where there is `onWake`, reminders in any process.
 */
export function agentWakes(parts: RingParts) {
  const { records, latest, ports, onWake } = parts
  const service = async (): Promise<Wakes> =>
    (await loadAside()).createWakes({ records, profile: latest().profile, ports, delivers: onWake !== undefined })
  const run: BackgroundJob["run"] = async (job, context) => (await loadAside()).ring(parts, job, context)
  const hook: TurnHook = {
    name: reminderOwner,
    async beforeTurn(context) {
      ;(await loadAside()).showReminders(context, latest())
    },
    setAside: withoutTurns,
  }
  return {
    wakes: lateMethods(service, "set list drop"),
    jobs: (onWake === undefined ? ["reminder"] : ["wake", "reminder"]).map((kind) => ({ kind, run })),
    hooks: [hook],
  }
}

/** The reminders that a turn showed are due again once it is set aside, unless another one comes back in its place. */
function withoutTurns({ turns, back, state, notes }: SetAsideContext): KeptReminders | undefined {
  const { turnId = "", shown = [], due = [] } = (state ?? {}) as Partial<KeptReminders>
  const waiting = [...due, ...notes.map(({ payload }) => payload)]
  const inItsPlace = turns.some((turn) => turn.turnId === turnId) ? back.at(-1)?.turnId : turnId
  if (inItsPlace !== undefined && shown.length + waiting.length === 0) return undefined
  return inItsPlace === undefined
    ? { turnId: "", shown: [], due: [...shown, ...waiting] }
    : { turnId: inItsPlace, shown, due: waiting }
}
