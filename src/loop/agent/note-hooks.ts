import type { SessionNote } from "../../memory/services/store/session-store.ts"

/** The owner of notes that carry an observer's injections, and the name of the hook that shows them. */
export const injectionOwner = "observer-injections"

/** The owner of notes that tell of reminders, and the name of the hook that shows them. */
export const reminderOwner = "reminders"

/** The engine's own hooks, which run only in a turn with notes for them, or where they keep a state. */
export const noteHooks: ReadonlySet<string> = new Set([injectionOwner, reminderOwner])

/** The reminders of a session: those that its turn `turnId` showed, and those that its next turn shows. */
export interface KeptReminders {
  readonly turnId: string
  readonly shown: readonly SessionNote["payload"][]
  readonly due: readonly SessionNote["payload"][]
}
