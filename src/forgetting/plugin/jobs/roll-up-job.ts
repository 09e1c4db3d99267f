import { newEvent } from "../../../forgetting/events/event-record.ts"
import type { RollUp } from "../../../forgetting/events/roll-ups.ts"
import { type WrittenEvent, writeRollUpByRule } from "../../../forgetting/events/write-by-rule.ts"
import type { BackgroundJob, JobContext } from "../../../services/background/background-job.ts"
import { virtualContextNote } from "../changes.ts"
import { pendingRollUps } from "../pending-roll-ups.ts"
import type { VirtualContextSettings } from "../settings.ts"
import { readState, virtualContextName } from "../state.ts"
import { askData, askOrRule } from "./ask-data.ts"
import { readRollUp } from "./read-written.ts"

const kind = "roll-up"
const maxRollUps = 8
/** How long a record by rule is. */
const maxCharacters = { day: 240, week: 320, month: 400, year: 480 } as const

/** Summarises days, weeks, months and years that are over (R20): by rule, or by the agent's model with the prompt `roll-up`. */
export function rollUpJob({ events }: VirtualContextSettings): BackgroundJob {
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turn, hookStates }) {
      if (!memoryOn) return undefined
      const state = readState(hookStates[virtualContextName])
      const due = state.topic === undefined ? [] : pendingRollUps(state, state.topic.lastMs, events)
      return due.length === 0 ? undefined : { rollUps: due.slice(0, maxRollUps).map(payloadOf), turn }
    },
    async run({ payload, atMs }, context) {
      const { rollUps, turn } = payload as { readonly rollUps: readonly RollUpPayload[]; readonly turn: number }
      for (const { children, ...rollUp } of rollUps) {
        const written = await write({ children, ...rollUp }, events.writer, context)
        const record = newEvent({ ...rollUp, ...written, children: children.map(({ id }) => id) }, { atMs, turn })
        await context.post(virtualContextNote(`${kind}:${rollUp.id}`, [{ type: "events", events: [record] }]))
      }
    },
  }
}

type RollUpChild = Pick<RollUp["children"][number], "id" | "stamp" | "text" | "importance">
type RollUpPayload = Omit<RollUp, "children"> & { readonly children: readonly RollUpChild[] }

function payloadOf({ children, ...rollUp }: RollUp): RollUpPayload {
  return { ...rollUp, children: children.map(({ id, stamp, text, importance }) => ({ id, stamp, text, importance })) }
}

function write(
  { grain, stamp, children }: RollUpPayload,
  writer: "rule" | "model",
  context: JobContext,
): Promise<WrittenEvent> | WrittenEvent {
  const rule = () => {
    const { text, importance } = writeRollUpByRule(children, maxCharacters[grain])
    return { text, importance }
  }
  if (writer === "rule") return rule()
  const read = (answer: string): WrittenEvent | undefined => {
    const found = readRollUp(answer)
    return found && { text: found.text, importance: found.importance }
  }
  const records = children.map((child) => ({
    id: { text: child.stamp, trust: "author" as const },
    text: { text: child.text, trust: "memory" as const },
  }))
  const data = [askData("recent", records, "memory"), askData("stamp", stamp, "author")]
  return askOrRule(context, { kind, prompt: "roll-up", data, read, rule })
}
