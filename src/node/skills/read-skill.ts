import { basename, dirname, extname, isAbsolute } from "node:path"
import type { Trust } from "../../core/trust.ts"
import type { Text } from "../../core/value.ts"
import type { Skill, SkillMode } from "../../layers/skills.ts"
import { displayPath } from "../shipped-files.ts"
import type { FoundSkill } from "./found-skills.ts"
import { readSkillAttributes, warningAt } from "./skill-attributes.ts"
import { readSkillFile, type SkillFile } from "./skill-file.ts"
import type { SkillProblem } from "./skill-problem.ts"
import { listSkillResources } from "./skill-resources.ts"
import { hiddenCharacters, readSkillWords } from "./skill-words.ts"

/** A skill that was read, and what is not as it should be in it. */
export interface ReadSkill {
  readonly skill: Skill
  readonly problems: readonly SkillProblem[]
}

/** How the profile reads skills. */
export interface ReadSkillOptions {
  /** By name, in place of what a skill declares (L5). */
  readonly modes: Readonly<Record<string, SkillMode>>
  readonly trust: Trust
}

/** Reads one skill: a Markdown file of ours, or a folder in the open Agent Skills form. Throws a located error for what cannot be understood. */
export function readSkill({ path, open }: FoundSkill, { modes, trust }: ReadSkillOptions): ReadSkill {
  const file = readSkillFile(path)
  const given = { attributes: file.attributes, text: file.text, open }
  const placeName = open ? basename(dirname(path)) : basename(path, extname(path))
  const { problems: inWords, ...words } = readSkillWords({ ...given, placeName, body: file.body })
  const { problems: inAttributes, ...attributes } = readSkillAttributes(given)
  const beside = open ? listSkillResources(dirname(path), basename(path)) : { resources: [], scripts: [], problems: [] }
  const content = contentOf(file, trust)
  return {
    skill: {
      ...words,
      ...attributes,
      mode: Object.hasOwn(modes, words.name) ? (modes[words.name] ?? attributes.mode) : attributes.mode,
      content,
      path: toldPath(path, open),
      file: path,
      resources: beside.resources,
      scripts: beside.scripts,
      source: { file: file.text.file, line: 1 },
    },
    problems: [...file.problems, ...inWords, ...inAttributes, ...inContent(file, words.description), ...beside.problems],
  }
}

/** What lies elsewhere on the disk is told under a name of its own: the way there is nobody's business but ours. */
function toldPath(path: string, open: boolean): string {
  const shown = displayPath(path)
  if (!isAbsolute(shown)) return shown
  return open ? `skills/${basename(dirname(path))}/${basename(path)}` : `skills/${basename(path)}`
}

function contentOf({ body, firstLine, text: { file } }: SkillFile, trust: Trust): Text {
  const trimmed = body.trimEnd()
  const blankLines = /^(?:[^\S\n]*\n)*/.exec(trimmed)?.[0] ?? ""
  const line = firstLine + blankLines.split("\n").length - 1
  return { text: trimmed.slice(blankLines.length), trust, source: { file, line } }
}

function inContent({ body, text }: SkillFile, description: string): SkillProblem[] {
  const warn = (rule: "content" | "hidden-characters", message: string) => warningAt(text, { rule, key: "description", message })
  const hidden = hiddenCharacters([description, body])
  return [
    ...(body.trim() === "" ? [warn("content", "expected instructions below the front matter, found none.")] : []),
    ...(hidden > 0
      ? [warn("hidden-characters", `expected characters one can see, found ${hidden} that hide or act on a terminal.`)]
      : []),
  ]
}
