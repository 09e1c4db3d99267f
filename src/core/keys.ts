/** Whether one person or several read the conversation: private memories do not enter a group. */
export type Audience = "private" | "group"

/** A session is a conversation of one agent, with one or many speakers. */
export interface SessionKey {
  readonly agent: string
  readonly conversation: string
  readonly audience: Audience
}

/** A session and the speaker of the turn at hand. No service is called without it. */
export interface ServiceKey extends SessionKey {
  readonly user: string
}

/** Somebody who speaks in a conversation: `id` is stable, `name` is shown in prompts. */
export interface Speaker {
  readonly id: string
  readonly name: string
}
