import { checkOptions, checkType } from "../../core/check-options.ts"
import { messageOf } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import type { Template, TemplateNode } from "./ast.ts"
import { settleLines } from "./branch-layout.ts"
import { markAlone } from "./own-line.ts"
import { parseFileNodes } from "./parse-nodes.ts"
import { type ParseState, templateError } from "./parse-state.ts"
import { createLocator, createScanner, normalizeText } from "./scanner.ts"

/** Options of {@link parseTemplate}. */
export interface ParseOptions {
  /** The name of the file in sources and errors. Default `template`. */
  readonly file?: string
  /** The line of the file on which the text begins. Default 1. */
  readonly firstLine?: number
  /** Loads the file of `${file_load(path)}`. Without it that directive is an error. */
  readonly load?: TemplateLoader
  /** Names that `renderTemplate` may find absent without an error. */
  readonly optional?: readonly string[]
}

/**
 * Compiles a text of the template language (R1, R2): `${name | encoder = placeholder}`, `${name? A : B}`, `${role(…)}`,
 * `${messages(…)}`, `${file_load(…)}`. `$${`, `$:` and `$}` stand for the characters `${`, `:` and `}`. Line breaks become
 * `\n`. Throws a located error with code `template` for a mistake in the text.
 */
export function parseTemplate(text: string, options: ParseOptions = {}): Template {
  checkType("the text of parseTemplate", text, "string")
  checkOptions("parseTemplate", options, { file: true, firstLine: true, load: true, optional: true })
  const { file = "template", firstLine = 1, load, optional = [] } = options
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

/** A file that a template loads: its text, the name that stands for it in sources, and the line its text begins on. */
interface LoadedText {
  readonly text: string
  readonly file: string
  readonly firstLine?: number
}

/** Finds the file of `${file_load(path)}`, written at `from`; throws when there is none. One file has one name. */
export type TemplateLoader = (path: string, from: Source) => LoadedText

/** How many files may load one another in a row. */
const maxChain = 32

/** How many `${file_load(…)}` one template may run. Bounds includes that double at each step. */
const maxLoads = 256

/** The state that the files of one template share. */
interface IncludeRun {
  readonly load: TemplateLoader | undefined
  loads: number
}

/** Loads the file that the last file of `chain` asks for at `offset`. Throws for cycles, too many and missing files (R2). */
function loadFile(
  run: IncludeRun,
  state: ParseState,
  { path, offset, chain }: { readonly path: string; readonly offset: number; readonly chain: readonly string[] },
): LoadedText {
  const fail = (message: string, details: { hint?: string; cause?: unknown } = {}) =>
    templateError(state, offset, message, { ...details, evidence: { kind: "file-load" } })
  if (!run.load) throw fail(`\${file_load(${path})} cannot be followed here: this text was parsed without a loader.`)
  if (chain.length > maxChain)
    throw fail(`expected at most ${maxChain} files loading one another, found more: ${showChain(chain)}.`)
  if (++run.loads > maxLoads) throw fail(`expected at most ${maxLoads} loaded files in one template, found more.`)
  const loaded = load(run.load)
  if (chain.includes(loaded.file)) throw fail(`files load one another in a circle: ${showChain([...chain, loaded.file])}.`)
  return loaded

  function load(loader: TemplateLoader): LoadedText {
    try {
      return loader(path, { file: state.file, ...state.locate(offset) })
    } catch (error) {
      throw fail(`cannot load ${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error })
    }
  }
}

function showChain(files: readonly string[]): string {
  return files.join(" → ")
}
