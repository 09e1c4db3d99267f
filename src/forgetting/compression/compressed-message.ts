/** When the model's messages are shown compressed (R12). */
export interface CompressionSettings {
  /** A longer message is over length. */
  readonly maxCharacters: number
  /** The model's last so many messages are always whole: `mini_full_context_count`. */
  readonly fullMessages: number
  /** More than this in the whole window is over budget: then shorter messages are compressed too, oldest first. */
  readonly budgetCharacters: number
  /** What a compressed message has at most. */
  readonly targetCharacters: number
}

/** The chosen numbers. */
export const defaultCompression: CompressionSettings = {
  maxCharacters: 400,
  fullMessages: 4,
  budgetCharacters: 12_000,
  targetCharacters: 160,
}

/** The cached result for one message: plain JSON. */
export interface CompressedMessage {
  /** The turn whose answer it was. */
  readonly turnId: string
  readonly text: string
  /** True once a prompt has shown it: from then on it always does. */
  readonly shown: boolean
}
