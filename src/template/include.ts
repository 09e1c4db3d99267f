import { messageOf } from "../core/errors.ts"
import type { Source } from "../core/source.ts"
import { type ParseState, templateError } from "./parse-state.ts"

/** A file that a template loads: its text, the name that stands for it in sources, and the line its text begins on. */
export interface LoadedText {
  readonly text: string
  readonly file: string
  readonly firstLine?: number
}

/** Finds the file of `${file_load(path)}`, written at `from`; throws when there is none. One file has one name. */
export type TemplateLoader = (path: string, from: Source) => LoadedText

/** How many files may load one another in a row. */
const maxChain = 32

/** How many `${file_load(…)}` one template may run: includes that double at each step end here. */
const maxLoads = 256

/** What the files of one template share. */
export interface IncludeRun {
  readonly load: TemplateLoader | undefined
  loads: number
}

/** Loads a file asked for at `offset` of the last file in `chain`; cycles, too many files and missing ones are located errors (R2). */
export function loadFile(
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
