import { basename, dirname, join } from "node:path"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { requireRest } from "../../dialect/rest-slot.ts"
import type { LintFault, LintFile } from "../../lint/context.ts"
import { parseTolerantly } from "../../lint/parse-tolerantly.ts"
import type { Template } from "../../template/ast.ts"
import type { TemplateLoader } from "../../template/parse.ts"
import { normalizeText } from "../../template/scanner.ts"
import { parseFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, shippedPromptsFolder } from "../shipped-files.ts"
import { errorFaults } from "./error-faults.ts"
import { findPromptFiles, type PromptPlace } from "./prompt-files.ts"
import { folderLoader } from "./prompt-loader.ts"
import { skillFaults } from "./skill-faults.ts"

/** Reads one file that stands in no prompts folder: a persona beside its profile, a skill in a folder of its own. */
export function readLooseFile(path: string, place: Pick<LintFile, "kind" | "folder" | "name">): LintFile {
  const { place: _, ...file } = readFile(dirname(path), { path: basename(path), ...place })
  const faults = [...file.faults, ...skillFaults(place.kind, path)]
  return { ...file, ...place, root: displayPath(dirname(path)), shipped: false, loads: [], faults }
}

/** A file as it was read: its text, and front matter and body where those could be told apart. */
interface ReadFile {
  readonly place: PromptPlace
  readonly path: string
  readonly file: string
  readonly text: string
  readonly source?: PromptSource
  readonly faults: readonly LintFault[]
}

/** Reads every authored file of a prompts folder once. What is wrong with one stands among its faults, and stops no other. */
export function readPromptFolder(folder: string): LintFile[] {
  const shipped = folder === shippedPromptsFolder
  const root = shipped ? "" : displayPath(folder)
  const read = findPromptFiles(folder).map((place) => readFile(folder, place))
  const sources = read.flatMap(({ place, source }) => (source ? [{ ...source, path: place.path }] : []))
  const loaderFor = folderLoader(sources, root)
  return read.map(({ place, ...file }) => {
    const { path: _, ...placed } = place
    const { load, loads } = loaderFor(place)
    const parsed = parse({ ...file, ...placed }, load)
    const faults = [...file.faults, ...skillFaults(place.kind, file.path), ...parsed.faults]
    return { ...file, ...placed, ...parsed, root, shipped, loads: [...loads], faults }
  })
}

function readFile(folder: string, place: PromptPlace): ReadFile {
  const path = join(folder, place.path)
  const file = displayPath(path)
  let text = ""
  try {
    text = readTextFile(path, file)
    return { place, path, file, text, source: { path: file, ...bodyOf(text, file) }, faults: [] }
  } catch (error) {
    // Of a skill, reading it as one says more, and takes front matter that is not quite YAML.
    return { place, path, file, text, faults: place.kind === "skill" ? [] : errorFaults(error, file) }
  }
}

function bodyOf(text: string, file: string): Omit<PromptSource, "path"> {
  return file.endsWith(".md") ? parseFrontMatter(text, file) : { attributes: {}, body: normalizeText(text), firstLine: 1 }
}

interface Parsed {
  readonly template?: Template
  readonly faults: readonly LintFault[]
}

/** Only prompts and tools' words are templates; the other texts stand as they are. */
function parse({ kind, file, source }: Pick<LintFile, "kind" | "file"> & Pick<ReadFile, "source">, load: TemplateLoader): Parsed {
  if (source === undefined || (kind !== "prompt" && kind !== "tool")) return { faults: [] }
  const { template, errors } = parseTolerantly(source, load)
  if (template === undefined) return { faults: errors.flatMap((error) => errorFaults(error, file)) }
  const missing = kind === "prompt" && errors.length === 0 ? restFaults(source, template) : []
  return { template, faults: [...errors.flatMap((error) => errorFaults(error, file)), ...missing] }
}

function restFaults(source: PromptSource, template: Template): LintFault[] {
  try {
    requireRest(source, template)
    return []
  } catch (error) {
    return errorFaults(error, source.path)
  }
}
