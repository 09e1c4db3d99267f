import { EmotionReader } from "./emotion-reader.ts"
import type { OutputFormat } from "./output-part.ts"

/** `[EMOTION] ||| text`, at the beginning of the reply and of any later line (L4): an `emotion`, then the text. */
export const emotionPipe: OutputFormat = {
  name: "emotion_pipe",
  createReader: ({ emotions }) =>
    new EmotionReader({ syntax: "pipe", emotions, expected: "the reply to begin with [EMOTION] ||| and later tags to be whole" }),
}

/**
 * `[EMOTION] text`, at the beginning of the reply and of each bubble, and of any later line where the emotion is listed (L4): an
 * `emotion`, then the text. A link, a footnote and a date in brackets are words.
 */
export const emotionBracket: OutputFormat = {
  name: "emotion_bracket",
  createReader: ({ emotions }) =>
    new EmotionReader({ syntax: "bracket", emotions, expected: "the reply to begin with [EMOTION]" }),
}
