import type { Speaker } from "../core/conversation.ts"
import type { Trust } from "../core/value.ts"
import type { InjectionInput } from "../stack/injection.ts"

/** A speaker whose name may be left out. */
export type SpeakerInput = Speaker | Pick<Speaker, "id">

/** Options of `Session.send`. */
export interface SendOptions {
  /**
   * The speaker. The default name is that of the profile's user. The default id is the conversation's name, in a group with `#` before
   * it: memories and profiles belong to the id, so pass one wherever a person has several conversations or a group several people.
   */
  readonly from?: SpeakerInput
  /** Paths of files that came with the text, which may then be empty, in the form that the file tools use. The prompt shows each as `%[path]` (R8). */
  readonly files?: readonly string[]
  /** Items for the prompts of this turn alone. Those of scope `session` stay if the turn is stored. A malformed one throws `injection`. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.wake`. */
export interface WakeOptions {
  /** The person whose memories and profile the turn may see. Default: in a private conversation the one who spoke last, in a group nobody. */
  readonly to?: SpeakerInput
  /** The origin of the reason's words. Only with `author` do they stand in the prompt as they are. Default `tool`: they came from outside. */
  readonly trust?: Trust
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.preview`. */
export interface PreviewOptions {
  readonly from?: SpeakerInput
  readonly files?: readonly string[]
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.hear`. */
export interface HearOptions {
  /** As in {@link SendOptions.from}. */
  readonly from?: SpeakerInput
  /** The moment when it was said, in milliseconds since 1970. Default: now. */
  readonly atMs?: number
}

/** Options of `Session.regenerate` and `Session.edit`. */
export interface ChangeOptions {
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}
