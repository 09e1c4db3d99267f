import type { AttachmentInput } from "../../core/conversation.ts"
import type { DirectedOptions, SpeakerInput } from "../../loop/agent/session-options.ts"
import type { BotMedia } from "./media-words.ts"

/** A message of a chat platform, as `Bot.take` needs it. */
export interface BotMessage {
  /** The platform's id for good, by which a message that comes twice and an edit are known. A press of a button has one of its own. */
  readonly id: string
  /** The words; blank for a message of files alone. */
  readonly text: string
  readonly from: SpeakerInput
  /** When it was said, in milliseconds since 1970. Default: now. */
  readonly atMs?: number | undefined
  /** The addresses of its files, functions that ask the platform for them, or the files. Their bytes are loaded; no model gets an address. */
  readonly files?: readonly (string | AttachmentInput | (() => string | Promise<string>))[] | undefined
  /** As in {@link DirectedOptions.replyTo}. The agent has its own id, not the platform's. */
  readonly replyTo?: DirectedOptions["replyTo"] | undefined
  /** As in {@link DirectedOptions.mentions}. The agent has its own id, not the platform's. */
  readonly mentions?: DirectedOptions["mentions"] | undefined
  /** Whatever else it shows, such as a sticker or a video that no model takes. It is named in words before the text. */
  readonly media?: readonly BotMedia[] | undefined
  /**
   * The platform's id of the album whose part this is (`media_group_id`): its parts are one message, which is taken once no other part
   * has come for a second.
   */
  readonly album?: string | undefined
  /** True if the words replace those of an earlier message of this id. */
  readonly isEdit?: boolean | undefined
}
