import { checkType } from "../../../core/check-options.ts"
import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { ScheduledWake, WakeRefusal } from "../../../memory/services/wakes.ts"
import type { SessionAtRest } from "../queue/turn-states.ts"
import {
  checkSessionOptions,
  inputOf,
  optionsOf,
  type SpeakerInput,
  type WakeAtOptions,
  type WakesOptions,
} from "../session-options.ts"

const expected: Readonly<Record<WakeRefusal, string>> = {
  empty: "a reason of 1 to 2,000 characters",
  past: "a moment to come",
  far: "a moment within five years",
  unclear: "a time such as 2026-11-21 09:00 or +10m",
  "no-zone": "the option `timeZone`, or `time_zone` in the profile, for a local time",
  "unknown-zone": "the IANA name of a time zone, such as Asia/Shanghai",
  "bad-repeat": "`repeat` as a word such as daily, or a cron pattern of five fields, at least ten minutes apart",
  "too-many": "at most `conversation.wakes_per_user` wakes for one person",
}

/** The work of `Session.wakeAt`. */
export async function wakeAt(
  rest: SessionAtRest,
  { at, reason, from, ...options }: WakeAtOptions & { readonly at: number | string; readonly reason: string },
): Promise<ScheduledWake> {
  checkSessionOptions("wakeAt", { ...options, from }, optionsOf.wakeAt)
  checkType("the reason of wakeAt", reason, "string")
  if (typeof at !== "number") checkType("the moment of wakeAt", at, "string")
  const { key, speaker } = personOf(rest, from)
  const outcome = await rest.session.agent.wakes.set(key, { ...options, at, reason, to: from && speaker })
  if (outcome.ok) return outcome.wake
  const message = `wakeAt expected ${expected[outcome.refusal]}, found ${JSON.stringify({ at, ...options })}.`
  throw new PromptStrataError("usage", message, { hint: "Nothing was kept, and nothing will ring." })
}

/** The work of `Session.wakes`. */
export async function wakesOf(rest: SessionAtRest, options: WakesOptions): Promise<readonly ScheduledWake[]> {
  checkSessionOptions("wakes", options, optionsOf.person)
  return rest.session.agent.wakes.list(personOf(rest, options.from).key)
}

/** The work of `Session.dropWake`. */
export async function dropWake(rest: SessionAtRest, id: string, options: WakesOptions): Promise<boolean> {
  checkSessionOptions("dropWake", options, optionsOf.person)
  checkType("the id of dropWake", id, "string")
  return rest.session.agent.wakes.drop(personOf(rest, options.from).key, id)
}

function personOf({ session }: SessionAtRest, from: SpeakerInput | undefined) {
  return inputOf(session, { text: "", turnId: "", options: from ? { from } : {} }) satisfies { readonly key: ServiceKey }
}
