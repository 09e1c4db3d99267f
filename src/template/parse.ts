import { markAlone } from "./alone.ts"
import type { Template, TemplateNode } from "./ast.ts"
import { type IncludeRun, type LoadedText, loadFile, type TemplateLoader } from "./include.ts"
import { normalizeText } from "./normalize.ts"
import { parseFileNodes } from "./parse-nodes.ts"
import type { ParseState } from "./parse-state.ts"
import { createLocator, createScanner } from "./scanner.ts"
import { settleLines } from "./settle-lines.ts"

/** What parsing takes beside the text. */
export interface ParseOptions {
  /** The name that stands in sources and errors. Default `template`. */
  readonly file?: string
  /** The line of the file on which the text begins. Default 1. */
  readonly firstLine?: number
  /** Follows `${file_load(path)}`; without it that directive is an error. */
  readonly load?: TemplateLoader
  /** Names that may be absent without an error in `renderTemplate`. */
  readonly optional?: readonly string[]
}

/**
 * Compiles a text of the template language (R1, R2): `${name | encoder = placeholder}`, `${name? A : B}`, `${role(…)}`,
 * `${messages(…)}`, `${file_load(…)}`; `$${`, `$:` and `$}` write literals. Line breaks become `\n`. Mistakes throw a
 * located error with code `template`.
 */
export function parseTemplate(
  text: string,
  { file = "template", firstLine = 1, load, optional = [] }: ParseOptions = {},
): Template {
  const nodes = parseFile({ text, file, firstLine }, { load, loads: 0 }, { chain: [file], depth: 0 })
  return { file, nodes: markAlone(settleLines(nodes)), optional: new Set(optional) }
}

function parseFile(
  { text, file, firstLine = 1 }: LoadedText,
  run: IncludeRun,
  { chain, depth }: { readonly chain: readonly string[]; readonly depth: number },
): TemplateNode[] {
  const scanner = createScanner(normalizeText(text))
  const state: ParseState = {
    file,
    firstLine,
    scanner,
    locate: createLocator(scanner, firstLine),
    include(path, offset, depthThere) {
      const loaded = loadFile(run, state, { path, offset, chain })
      // The line with the directive has a line break of its own.
      const body = normalizeText(loaded.text).replace(/\n$/, "")
      return parseFile({ ...loaded, text: body }, run, { chain: [...chain, loaded.file], depth: depthThere })
    },
  }
  return parseFileNodes(state, depth)
}
