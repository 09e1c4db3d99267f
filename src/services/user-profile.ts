import type { Audience, ServiceKey } from "../core/keys.ts"

/** Something a user said of themselves, under a name, with its source. Plain JSON. */
export interface ProfileStatement {
  readonly name: string
  readonly value: string
  /** From 0 to 1. */
  readonly confidence: number
  readonly atMs: number
  readonly turnId: string
  /** Where it was said: what was said in private is not shown in a group. */
  readonly conversation: string
  readonly audience: Audience
}

/** What is known of a user. Of two statements of one name the newest holds; the older one is history. */
export interface UserProfile {
  /** Grows by one with every change; 0 for an unknown user. */
  readonly version: number
  /** What holds, by name in alphabetical order. */
  readonly fields: readonly ProfileStatement[]
  /** What no longer holds, the newest first. */
  readonly history: readonly ProfileStatement[]
}

/** Keeps what users say of themselves. */
export interface UserProfileService {
  /** What may be shown to this key: in a group, what was said in that group. */
  get(key: ServiceKey): Promise<UserProfile>
  /**
   * Adds statements of one turn. Another version than `expectVersion` throws `version-conflict` and changes nothing; a turn whose
   * statements are there already changes nothing either and returns the version at hand.
   */
  put(
    statements: readonly ProfileStatement[],
    expectVersion: number,
    key: ServiceKey,
  ): Promise<{ readonly version: number; readonly applied: boolean }>
}
