import { basename, dirname, extname, isAbsolute } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import type { Trust } from "../../core/value.ts"
import { sanitise } from "../../prompt/encode/sanitise.ts"
import type { Skill, SkillMode } from "../../prompt/layers/skills.ts"
import { placedText } from "../authored-text.ts"
import { readMapping, splitFrontMatter, type YamlPlace } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { readDescription, readName, readSkillAttributes } from "./skill-attributes.ts"
import { type FoundSkill, listSkillResources } from "./skill-folders.ts"
import { type SkillProblem, type SkillText, skillFault, warnInto, warningAt } from "./skill-problem.ts"
import { isSyntaxFault, recoverYaml } from "./skill-yaml.ts"

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
