import { emotionBracket, emotionPipe } from "./emotion-formats.ts"
import type { FormatOptions, OutputFormat } from "./output-part.ts"
import { plainFormat } from "./plain-format.ts"

/** The formats with a parser that ship (L4). */
export const formats: readonly OutputFormat[] = [emotionPipe, emotionBracket, plainFormat]

/** The format of that name: one of `own`, which go before those that ship, or `undefined`. */
export function formatNamed(name: string, own: readonly OutputFormat[] = []): OutputFormat | undefined {
  return [...own, ...formats].find((format) => format.name === name)
}

/** The same format with what its file says: its readers get `options` whatever they are given. */
export function configureFormat(format: OutputFormat, options: FormatOptions): OutputFormat {
  return { name: format.name, createReader: () => format.createReader(options) }
}
