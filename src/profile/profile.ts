import type { InputOf, Keys, SettingsOf } from "./key.ts"
import type { profileKeys } from "./profile-keys.ts"

export type { McpServerSettings } from "./keys/mcp.ts"

type ProfileKeys = typeof profileKeys.keys
type Table<N extends keyof ProfileKeys> = ProfileKeys[N] extends { readonly keys: infer K extends Keys } ? SettingsOf<K> : never

/**
 * Everything that makes one agent, complete: nothing is optional that has a default. `resolveProfile` makes it in code,
 * `loadProfile` from TOML (L9). The keys are declared in profile-keys.ts.
 */
export interface Profile extends SettingsOf<ProfileKeys> {}

/** A profile as one writes it in code: every part may be left out, and a plain string stands for author text. */
export interface ProfileInput extends InputOf<ProfileKeys> {}

/** How long things may take, in milliseconds, and how much a model may write. */
export interface TimeLimits extends Table<"limits"> {}

/** The part of earlier turns' context that history keeps (layer 5). */
export interface HistorySettings extends Table<"history"> {}
export interface ContextSettings extends Table<"context"> {}

/** How an answer is read before it is shown. */
export interface OutputSettings extends Table<"output"> {}

/** The folder of file tools, and how its files are opened and shown. */
export interface FilesSettings extends Table<"files"> {}

/** A tool that runs before the first plan (T25). */
export type PrestartSettings = Profile["prestart"][number]

/** A prestart tool as one writes it. By default it has no arguments, is not kept in history and has the profile's time limit. */
export type PrestartInput = NonNullable<ProfileInput["prestart"]>[number]

/** A profile that can change while an agent runs (L13). A new session takes the current one, a running session keeps its own. */
export interface ProfileSource {
  /** The last good profile. */
  readonly profile: Profile
  /** The profile for a session that begins now: at once if nothing changed, else a promise while it is read. Never throws or rejects. */
  current(): Profile | Promise<Profile>
  /** Called with a profile from which no agent can be made, such as one with an unknown prestart tool. The profile before it stays in use. */
  refuse?(error: unknown, refused: Profile): void
}

/** True for a source, as opposed to a profile that never changes. */
export function isProfileSource(given: Profile | ProfileSource): given is ProfileSource {
  return "current" in given && typeof given.current === "function"
}
