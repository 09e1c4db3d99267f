import { EmotionReader } from "./emotion-reader.ts"
import { plainFormat } from "./guarded-reader.ts"
import type { FormatOptions, OutputFormat } from "./output-part.ts"

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

/** The formats that ship, each with its parser (L4). */
export const formats: readonly OutputFormat[] = [emotionPipe, emotionBracket, plainFormat]

/** The format of that name, or `undefined`. The formats in `own` come before those that ship. */
export function formatNamed(name: string, own: readonly OutputFormat[] = []): OutputFormat | undefined {
  return [...own, ...formats].find((format) => format.name === name)
}

/** The same format with the options of its file: its readers get `options`, whatever they are given. */
export function configureFormat(format: OutputFormat, options: FormatOptions): OutputFormat {
  return { name: format.name, emotions: options.emotions, createReader: () => format.createReader(options) }
}
