/** The owner of notes that carry an observer's injections, and the name of the hook that shows them. */
export const injectionOwner = "observer-injections"

/** The owner of notes that tell of reminders, and the name of the hook that shows them. */
export const reminderOwner = "reminders"

/** The engine's own hooks, which run only in a turn with notes for them. */
export const noteHooks: ReadonlySet<string> = new Set([injectionOwner, reminderOwner])
