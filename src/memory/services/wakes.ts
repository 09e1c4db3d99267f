import type { ServiceKey, Speaker } from "../../core/conversation.ts"

/** A wake that was set and waits for its moment. */
export interface ScheduledWake {
  /** The id to drop it by. */
  readonly id: string
  /** The conversation and the person that it is for. */
  readonly key: ServiceKey
  readonly reason: string
  /** The moment at which it rings next, in milliseconds since 1970. */
  readonly dueMs: number
  /** The cron pattern of its later moments; undefined if it rings once. */
  readonly repeat?: string | undefined
  /** The time zone of the person; undefined if none is known. */
  readonly timeZone?: string | undefined
}

/** A wish to be woken. */
export interface WakeRequest {
  /** Milliseconds since 1970, a local time such as `2026-11-21 09:00`, the same with an offset, or a time from now such as `+10m`. */
  readonly at: number | string
  readonly reason: string
  /** `hourly`, `daily`, `weekdays`, `weekly`, `monthly`, `yearly`, or a cron pattern of five fields. Moments are at least ten minutes apart. */
  readonly repeat?: string | undefined
  /** The IANA name of the person's time zone. Default: the profile's. The host's is never taken. */
  readonly timeZone?: string | undefined
  /** The person whose memories and profile the turn may see. */
  readonly to?: Speaker | undefined
}

/** The reason why a wake was not set. */
export type WakeRefusal = "empty" | "past" | "far" | "unclear" | "no-zone" | "unknown-zone" | "bad-repeat" | "too-many"

/**
 * The outcome of a wish. `clockChange` and `quiet` tell why the wake rings at another time than asked. With `waits`, nobody can be spoken to
 * before they write: the conversation's next turn shows the reason.
 */
export type WakeOutcome =
  | {
      readonly ok: true
      readonly wake: ScheduledWake
      readonly clockChange?: "skipped" | "repeated" | undefined
      readonly quiet: boolean
      readonly waits: boolean
    }
  | { readonly ok: false; readonly refusal: WakeRefusal }

/** The wakes of an agent. */
export interface Wakes {
  set(key: ServiceKey, request: WakeRequest): Promise<WakeOutcome>
  /** The wakes of a person, soonest first: in private all of theirs, in a group those of that group. */
  list(key: ServiceKey): Promise<readonly ScheduledWake[]>
  /** False if the person has no wake of this id that {@link Wakes.list} would show. */
  drop(key: ServiceKey, id: string): Promise<boolean>
}
