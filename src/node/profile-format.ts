import { didYouMean } from "../core/suggest.ts"
import type { ProfileInput } from "../profile/profile-input.ts"
import { configureFormat, formatNamed, formats } from "../reply/output/formats.ts"
import type { OutputFormat } from "../reply/output/output-part.ts"
import type { Plugin } from "../services/plugin.ts"
import { readWholeText } from "./authored-text.ts"

/** A format's file, read; its parser may be one of a plugin, so it is looked up once there are plugins. */
export interface FormatFile {
  readonly text: NonNullable<ProfileInput["format"]>
  /** The parser that the file names, with its options; throws a located error for an unknown one. */
  parser(plugins: readonly Plugin[]): OutputFormat | undefined
}

/** Reads a format's words for the model; its front matter may name its `parser` and the `emotions` it asks for (L4). */
export function readFormat(path: string): FormatFile {
  const { text, attributes, faultAt } = readWholeText(path, { kind: "format", attributes: ["parser"], lists: ["emotions"] })
  const { parser: name, emotions } = attributes
  return {
    text,
    parser(plugins) {
      if (name === undefined) return undefined
      const own = plugins.flatMap((plugin) => plugin.formats ?? [])
      const format = formatNamed(name, own)
      if (format !== undefined) return emotions === undefined ? format : configureFormat(format, { emotions })
      const known = [...own, ...formats].map((known) => known.name)
      throw faultAt(
        "parser",
        `expected a format with a parser (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`,
      )
    },
  }
}
