import type { Profile } from "./profile.ts"

/** A profile that can change while an agent runs (L13): each new session takes the one that is current then, running ones keep theirs. */
export interface ProfileSource {
  /** The last one that was good. */
  readonly profile: Profile
  /** What a session that begins now should have: at once where nothing changed, else once it is read. Never throws or rejects. */
  current(): Profile | Promise<Profile>
  /** Told of a profile from which no agent can be made, such as one with an unknown prestart tool; the one before it stays in use. */
  refuse?(error: unknown, refused: Profile): void
}

/** True for a source, as opposed to a profile that never changes. */
export function isProfileSource(given: Profile | ProfileSource): given is ProfileSource {
  return "current" in given && typeof given.current === "function"
}
