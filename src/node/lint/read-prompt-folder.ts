import { type Dirent, existsSync, readdirSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { attempt, PromptStrataError } from "../../core/errors.ts"
import type { LintFile, LintFileKind, LintProfile } from "../../lint/rule.ts"
import { requireRest } from "../../prompt/dialect/compile-dialect.ts"
import { isLocale } from "../../prompt/dialect/locales.ts"
import { type PromptSource, promptName } from "../../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../../prompt/dialect/shipped-files.ts"
import { overlayLoader, sourceLoader } from "../../prompt/dialect/source-loader.ts"
import type { Template } from "../../prompt/template/ast.ts"
import { parseTemplate, type TemplateLoader } from "../../prompt/template/parse.ts"
import { normalizeText } from "../../prompt/template/scanner.ts"
import { partsFile } from "../cards/card-parts.ts"
import { isCardPath } from "../cards/card-path.ts"
import { characterParts } from "../character/character-places.ts"
import { parsePrompt, textPaths } from "../load-prompts.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, shippedPromptsFolder } from "../shipped-files.ts"
import { errorFaults, skillFaults } from "./load-faults.ts"

/** The search ends after this many mistakes: such a file is hardly a template. */
const maxFaults = 50

/**
 * Parses a prompt's body past its mistakes, so that all of them are found. An expression that cannot be read is replaced by
 * spaces, so that everything else keeps its place. A mistake in a file that it loads ends the parsing, as that file is parsed
 * by itself too; then there is no template.
 */
export function parseTolerantly(
  source: PromptSource,
  load: TemplateLoader,
): { readonly template?: Template; readonly errors: readonly PromptStrataError[] } {
  const { path: file, firstLine } = source
  const errors: PromptStrataError[] = []
  let text = normalizeText(source.body)
  for (let tries = 0; tries <= 2 * maxFaults; tries++) {
    try {
      return { template: parseTemplate(text, { file, firstLine, load }), errors }
    } catch (error) {
      if (!PromptStrataError.isInstance(error)) throw error
      if (!errors.some((known) => samePlace(known, error))) errors.push(error)
      if (error.source?.file !== file || errors.length >= maxFaults) return { errors }
      const blanked = blankExpression(text, offsetOf(text, error.source.line - firstLine, error.source.column ?? 1))
      if (blanked === text) return { errors }
      text = blanked
    }
  }
  return { errors }
}

function samePlace(a: PromptStrataError, b: PromptStrataError): boolean {
  return a.source?.line === b.source?.line && a.source?.column === b.source?.column
}

function offsetOf(text: string, linesBefore: number, column: number): number {
  let start = 0
  for (let line = 0; line < linesBefore; line++) start = text.indexOf("\n", start) + 1
  return start + [...text.slice(start, start + 2 * column)].slice(0, column - 1).join("").length
}

/** Replaces the expression at `fault` by spaces: the one that is open there, else the one that begins there. */
function blankExpression(text: string, fault: number): string {
  const before = fault === 0 ? -1 : text.lastIndexOf("${", fault - 1)
  const isOpen = before >= 0 && !text.slice(before, fault).includes("}")
  const start = isOpen ? before : text.startsWith("${", fault) ? fault : before
  if (start < 0) return text
  const close = text.indexOf("}", Math.max(fault, start))
  const next = text.indexOf("${", Math.max(fault, start + 2))
  const end = close >= 0 && (next < 0 || close < next) ? close + 1 : start + 2
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end)
}

/** Reads every authored file of a prompts folder once. The mistakes of a file are among its faults and stop no other file. */
export function readPromptFolder(folder: string): LintFile[] {
  const shipped = folder === shippedPromptsFolder
  const root = shipped ? "" : displayPath(folder)
  const read = findPromptFiles(folder).map((place) => ({ place, file: readFile(join(folder, place.path), place.kind) }))
  const sources = read.flatMap(({ place, file: { source } }) => (source ? [{ ...source, path: place.path }] : []))
  const loaderFor = folderLoader(sources, root)
  return read.map(({ place, file }) => {
    const { path: _, ...placed } = place
    const { load, loads } = loaderFor(place)
    const parsed = parse(file, place.kind, load)
    return { ...file, ...placed, ...parsed, root, shipped, loads: [...loads], faults: [...file.faults, ...parsed.faults] }
  })
}

/**
 * Reads the personas, formats, system texts and skills that linted profiles name outside of the prompts folders. Files that are
 * among `read` already, and the library's own, are left out.
 */
export function readLooseFiles(profiles: readonly LintProfile[], read: readonly LintFile[]): LintFile[] {
  const known = new Set(read.map(({ file }) => file))
  return profiles.flatMap(({ linted, profile }) => {
    if (!linted || profile === undefined) return []
    const { persona, format, final, skills } = profile
    const add = (kind: LintFileKind, file: string | undefined): LintFile[] => {
      // The short names of shipped files are no paths on this disk.
      if (file === undefined || known.has(file) || !existsSync(resolve(file))) return []
      known.add(file)
      const path = resolve(file)
      const name = basename(file).toLowerCase() === "skill.md" ? basename(dirname(file)) : promptName(file)
      const place = { kind, folder: "", name, root: displayPath(dirname(path)), shipped: false, loads: [] }
      return [{ ...readFile(path, kind), ...place }]
    }
    return [
      // A card is no text: "promptstrata card lint" checks it.
      ...(persona.source && isCardPath(persona.source.file) ? [] : add("persona", persona.source?.file)),
      ...add("format", format?.source?.file),
      ...add("final", final.system?.source?.file),
      ...skills.flatMap(({ source }) => add("skill", source.file)),
    ]
  })
}

/** One file: its text, and front matter and body if the two could be told apart. */
type ReadFile = Pick<LintFile, "path" | "file" | "text" | "source" | "faults">

function readFile(path: string, kind: LintFileKind): ReadFile {
  const file = displayPath(path)
  const faults = kind === "skill" ? skillFaults(path) : []
  let text = ""
  try {
    text = readTextFile(path, file)
    return { path, file, text, source: parsePrompt(text, file), faults }
  } catch (error) {
    // A skill's own reader says more about it, and accepts front matter that is not quite YAML.
    return { path, file, text, faults: kind === "skill" ? faults : errorFaults(error, file) }
  }
}

/** Only prompts and the words of tools are templates; other texts are printed as they are. */
function parse({ file, source }: ReadFile, kind: LintFileKind, load: TemplateLoader): Pick<LintFile, "template" | "faults"> {
  if (source === undefined || (kind !== "prompt" && kind !== "tool")) return { faults: [] }
  const { template, errors } = parseTolerantly(source, load)
  const faults = errors.flatMap((error) => errorFaults(error, file))
  if (template === undefined || kind !== "prompt" || errors.length > 0) return { template, faults }
  try {
    requireRest(source, template)
    return { template, faults }
  } catch (error) {
    return { template, faults: errorFaults(error, file) }
  }
}

/**
 * Follows `file_load` among the files of a prompts folder that were read already, then among the shipped files. `files` have
 * paths relative to the folder; `shownAs` is the folder's name in sources. For each file there is a loader of its own, and the
 * set of the files that it loaded, as messages show them.
 */
function folderLoader(files: readonly PromptSource[], shownAs: string) {
  // Kept by dialect and locale, as making a loader goes through every file.
  const made = new Map<string, TemplateLoader>()
  return ({ folder, locale }: PromptPlace) => {
    const key = locale === undefined ? "" : `${folder}/${locale}`
    const folders = locale === undefined ? [""] : [key, `shared/${locale}`, ""]
    const own = made.get(key) ?? sourceLoader(files, folders)
    made.set(key, own)
    const loads = new Set<string>()
    // Most folders load no shipped file, so those are not read before.
    const shipped: TemplateLoader = (path, from) => sourceLoader(shippedPrompts(), folders)(path, from)
    return { load: overlayLoader(shipped, recording(own, shownAs, loads)), loads }
  }
}

/** Turns the names in sources into paths in the folder and back, and notes each file that was loaded. */
function recording(load: TemplateLoader, shownAs: string, loads: Set<string>): TemplateLoader {
  const prefix = shownAs === "" ? "" : `${shownAs}/`
  return (path, from) => {
    const file = from.file.startsWith(prefix) ? from.file.slice(prefix.length) : from.file
    const loaded = load(path, { ...from, file })
    const shown = prefix + loaded.file
    loads.add(shown)
    return { ...loaded, file: shown }
  }
}

/** A file of a prompts folder, with what its place says about it. */
type PromptPlace = Pick<LintFile, "kind" | "folder" | "locale" | "name"> & {
  /** Relative to the prompts folder, parts joined by `/`. */
  readonly path: string
}

const textKinds: Readonly<Record<string, LintFile["kind"]>> = {
  characters: "persona",
  formats: "format",
  final: "final",
  tools: "tool",
}

/** Finds the authored files of a prompts folder, sorted by path. Hidden files, linked folders and the files beside a `SKILL.md` are left out. */
export function findPromptFiles(root: string): PromptPlace[] {
  return pathsIn(root, "")
    .sort()
    .map((path) => ({ path, ...placeOf(path) }))
}

function placeOf(path: string): Omit<PromptPlace, "path"> {
  const parts = path.split("/")
  const [folder = "", second = ""] = parts
  const name = promptName(path)
  if (parts.length > 1 && folder === "skills")
    return { kind: "skill", folder, name: name === "SKILL" ? (parts.at(-2) ?? name) : name }
  const depth = folder === "characters" ? characterPartDepth(parts) : -1
  if (depth >= 0) return { kind: "character", folder, name, locale: depth === 3 && isLocale(second) ? second : undefined }
  const kind = Object.hasOwn(textKinds, folder) ? textKinds[folder] : undefined
  const locale = parts.length === 3 && isLocale(second) ? second : undefined
  if (kind !== undefined && (locale !== undefined || parts.length === 2)) return { kind, folder, name, locale }
  if (locale !== undefined && path.endsWith(".md")) return { kind: "prompt", folder, locale, name }
  return { kind: "other", folder, name }
}

/** The depth at which a path names a part of a character, 3 in `characters/LOCALE/NAME/state.md`; -1 if it names none. */
function characterPartDepth(parts: readonly string[]): number {
  return parts.findIndex((part, depth) => {
    const isFile = depth === parts.length - 1
    return depth > 1 && (isFile ? (characterParts as readonly string[]).includes(promptName(part)) : part === "world_book")
  })
}

function pathsIn(root: string, below: string): string[] {
  const folder = join(root, below)
  // Other files in a skill's folder belong to the skill.
  if (below.startsWith("skills/") && existsSync(join(folder, "SKILL.md"))) return [`${below}/SKILL.md`]
  // The texts of a card are checked with the profile that has it, and stay as their author wrote them.
  if (existsSync(join(folder, partsFile))) return []
  return textPaths(entriesOf(folder), below, (path) => pathsIn(root, path))
}

function entriesOf(folder: string): Dirent[] {
  // A folder that cannot be read is reported by the code that needs it.
  return attempt(() => readdirSync(folder, { withFileTypes: true }), [])
}
