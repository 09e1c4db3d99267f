import { basename, dirname, extname, isAbsolute } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import type { Trust } from "../../core/value.ts"
import { sanitise } from "../../prompt/encode/sanitise.ts"
import type { Skill, SkillMode } from "../../prompt/layers/skills.ts"
import { placedText } from "../authored-text.ts"
import { readMapping, readYamlMapping, splitFrontMatter, type YamlPlace } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { readDescription, readName, readSkillAttributes } from "./skill-attributes.ts"
import { type FoundSkill, listSkillResources } from "./skill-folders.ts"
import { type SkillProblem, type SkillText, skillFault, warnInto, warningAt } from "./skill-problem.ts"

/** A key at the beginning of a line, and its lines up to the next one. */
type KeyBlock = { readonly key: string; readonly offset: number; readonly lines: readonly string[] }

/** A key and its colon. A space before the colon is allowed, as `name : value` is common too. */
const keyLine = /^([A-Za-z_][\w.-]{0,99})[ \t]*:(?:[ \t]|$)/

/**
 * Reads front matter that a YAML reader refuses, one key at a time. A key that is valid by itself keeps its meaning. The value of
 * any other key is plain text, as its author meant it in `description: Use when: …`. `undefined` for a text that does not begin
 * with a key, or has a key twice. A fault that is not about syntax throws.
 */
export function recoverYaml(yaml: string, place: YamlPlace) {
  const blocks = keyBlocks(yaml)
  if (blocks === undefined || new Set(blocks.map(({ key }) => key)).size < blocks.length) return undefined
  const recovered: string[] = []
  const attributes = Object.fromEntries(
    blocks.map((block): [string, unknown] => {
      const alone = readAlone(block, place)
      if (alone !== undefined) return [block.key, alone.value]
      recovered.push(block.key)
      return [block.key, plainValue(block.lines)]
    }),
  )
  return { attributes, recovered }
}

/** True for a fault of YAML's syntax, which {@link recoverYaml} may get past; false for bombs, tags and keys that stand twice. */
export function isSyntaxFault(error: unknown): boolean {
  if (!PromptStrataError.isInstance(error)) return false
  if (error.code !== "front-matter" || error.evidence.kind === "duplicate-key") return false
  return typeof Object(error.cause).code === "string"
}

function keyBlocks(yaml: string): readonly KeyBlock[] | undefined {
  const blocks: { key: string; offset: number; lines: string[] }[] = []
  let offset = 0
  for (const line of yaml.split("\n")) {
    const key = keyLine.exec(line)?.[1]
    if (key !== undefined) blocks.push({ key, offset, lines: [line] })
    else if (blocks.length > 0) blocks.at(-1)?.lines.push(line)
    else if (line.trim() !== "" && !line.startsWith("#")) return undefined
    offset += line.length + 1
  }
  return blocks.length === 0 ? undefined : blocks
}

/** The value of a key whose lines are valid YAML by themselves; `undefined` for any other. */
function readAlone({ key, offset, lines }: KeyBlock, place: YamlPlace): { readonly value: unknown } | undefined {
  try {
    const alone = readYamlMapping(lines.join("\n"), { ...place, offset: place.offset + offset })
    return { value: alone[key] }
  } catch (error) {
    if (isSyntaxFault(error)) return undefined
    throw error
  }
}

/** The value of lines that are not valid YAML: a block keeps its lines, `- ` begins an item, indented keys are a map, all else is one line of text. */
function plainValue([first = "", ...following]: readonly string[]): unknown {
  const rest = first.slice(first.indexOf(":") + 1).trim()
  const more = following.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
  if (/^\|[-+\d]*$/.test(rest)) return more.join("\n")
  if (/^>[-+\d]*$/.test(rest)) return more.join(" ")
  if (rest === "" && more.length > 0) {
    if (more.every((line) => line.startsWith("- "))) return more.map((line) => unquoted(line.slice(2).trim()))
    if (more.every((line) => keyLine.test(line))) return Object.fromEntries(more.map(plainPair))
  }
  return unquoted([rest, ...more].join(" ").trim())
}

function plainPair(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).trim(), unquoted(line.slice(colon + 1).trim())]
}

function unquoted(text: string): string {
  const quote = text[0]
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote)
  return isQuoted ? text.slice(1, -1) : text
}

/** The largest file of a skill: 1 MiB. Published skills have about a hundredth of it. */
const maxBytes = 1024 * 1024

/** A skill that was read, and its problems. */
export type ReadSkill = { readonly skill: Skill; readonly problems: readonly SkillProblem[] }

/** The caller's choices for every skill. */
export interface ReadSkillOptions {
  /** Modes by skill name, in place of those that the skills declare (L5). */
  readonly modes: Readonly<Record<string, SkillMode>>
  readonly trust: Trust
}

/** Reads one skill: a Markdown file of our own form, or a folder in the open Agent Skills form. Throws a located error if nothing of it can be used. */
export function readSkill({ path, open }: FoundSkill, { modes, trust }: ReadSkillOptions): ReadSkill {
  const file = readSkillFile(path)
  const problems = [...file.problems]
  const placeName = open ? basename(dirname(path)) : basename(path, extname(path))
  const given = { ...file, open, placeName, warn: warnInto(problems, file.text) }
  const [name, description] = [readName(given), readDescription(given)]
  const attributes = readSkillAttributes(given)
  const beside = open ? listSkillResources(dirname(path), basename(path)) : { resources: [], scripts: [], problems: [] }
  return {
    skill: {
      name,
      description,
      ...attributes,
      mode: Object.hasOwn(modes, name) ? (modes[name] ?? attributes.mode) : attributes.mode,
      content: { ...placedText(file.body, file.text), trust },
      path: pathForModel(path, open),
      file: path,
      resources: beside.resources,
      scripts: beside.scripts,
      source: { file: file.text.file, line: 1 },
    },
    problems: [...problems, ...contentProblems(file, description), ...beside.problems],
  }
}

/** A skill's file: its front matter as data, and its body. */
interface SkillFile {
  readonly text: SkillText
  readonly attributes: Readonly<Record<string, unknown>>
  readonly body: string
  readonly problems: readonly SkillProblem[]
}

function readSkillFile(path: string): SkillFile {
  const file = displayPath(path)
  const read = readTextFile(path, file, { maxBytes, kind: "skill" })
  const { whole, block, offset, body, firstLine } = splitFrontMatter(read, file, { blankLines: true })
  const text: SkillText = { file, whole, firstLine }
  // A first line --- with a key below it was meant as front matter.
  if (block === undefined && /^\s{0,100}---[ \t]*\n[A-Za-z_][\w-]{0,99}[ \t]*:/.test(whole)) {
    const message = "expected a line --- that ends the front matter, found none."
    throw skillFault(text, undefined, message, "Put a line --- below its last key.")
  }
  if (block === undefined) return { text, body, attributes: {}, problems: [] }
  return { text, body, ...attributesOf(block, { file, whole, offset: offset + 1 }, text) }
}

/** Reads front matter as YAML. If its syntax is wrong, it is read key by key, with a warning for each key that is no YAML. */
function attributesOf(yaml: string, place: YamlPlace, text: SkillText): Pick<SkillFile, "attributes" | "problems"> {
  try {
    return { attributes: readMapping(yaml, place), problems: [] }
  } catch (error) {
    const found = isSyntaxFault(error) ? recoverYaml(yaml, place) : undefined
    if (found === undefined || !PromptStrataError.isInstance(error)) throw error
    const hint = "Put the value in quotes: other readers refuse this file."
    const problems = found.recovered.map((key) => {
      const message = `${key}: expected a value in YAML, found something else; it is read as plain text.`
      return warningAt(text, { rule: "front-matter", key, message, hint })
    })
    return { attributes: found.attributes, problems }
  }
}

/** The path that a model is given. A file outside the process's folder gets a short path, so that no prompt shows where it lies on the disk. */
function pathForModel(path: string, open: boolean): string {
  const shown = displayPath(path)
  if (!isAbsolute(shown)) return shown
  return open ? `skills/${basename(dirname(path))}/${basename(path)}` : `skills/${basename(path)}`
}

function contentProblems({ body, text }: SkillFile, description: string): SkillProblem[] {
  const warn = (rule: "content" | "hidden-characters", message: string) => warningAt(text, { rule, key: "description", message })
  const hidden = sanitise(description).removed + sanitise(body).removed
  return [
    ...(body.trim() === "" ? [warn("content", "expected instructions below the front matter, found none.")] : []),
    ...(hidden > 0
      ? [warn("hidden-characters", `expected characters one can see, found ${hidden} that hide or act on a terminal.`)]
      : []),
  ]
}
