import { PromptStrataError } from "../../core/errors.ts"
import { splitFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { readYamlMapping } from "../yaml-data.ts"
import { readPlainYaml } from "./plain-yaml.ts"
import { isSyntaxFault, recoverYaml } from "./recover-yaml.ts"
import { positionOfKey, problemAt, type SkillProblem, type SkillText, skillFault } from "./skill-problem.ts"

/** The largest file of a skill: 1 MiB. Those published are a hundredth of it. */
const maxBytes = 1024 * 1024

/** A skill's file: its front matter as data, and its body. */
export interface SkillFile {
  readonly text: SkillText
  readonly attributes: Readonly<Record<string, unknown>>
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
  readonly problems: readonly SkillProblem[]
}

/** Reads a skill's file. What is no YAML but can be understood is a problem; all else throws a located error. */
export function readSkillFile(path: string): SkillFile {
  const file = displayPath(path)
  const { whole, block, offset, body, firstLine } = splitFrontMatter(
    readTextFile(path, file, { maxBytes, kind: "skill" }),
    file,
    {
      blankLines: true,
    },
  )
  const start = block === undefined ? 0 : offset + 1
  const text: SkillText = { file, whole, block: { start, end: start + (block?.length ?? 0) } }
  if (block === undefined) refuseUnclosed(text)
  return { text, body, firstLine, ...attributesOf(block ?? "", text) }
}

function attributesOf(yaml: string, text: SkillText): Pick<SkillFile, "attributes" | "problems"> {
  const place = { file: text.file, whole: text.whole, offset: text.block.start }
  try {
    return { attributes: readPlainYaml(yaml) ?? readYamlMapping(yaml, place), problems: [] }
  } catch (error) {
    const found = isSyntaxFault(error) ? recoverYaml(yaml, place) : undefined
    if (found === undefined || !PromptStrataError.isInstance(error)) throw error
    return { attributes: found.attributes, problems: found.recovered.map((key) => recoveredProblem(text, key)) }
  }
}

function recoveredProblem(text: SkillText, key: string): SkillProblem {
  return problemAt(text, positionOfKey(text, key), {
    severity: "warning",
    rule: "front-matter",
    message: `${key}: expected a value in YAML, found something else; it is read as plain text.`,
    hint: "Put the value in quotes: other readers refuse this file.",
  })
}

/** A first line --- with a key below it was meant as front matter. */
function refuseUnclosed(text: SkillText): void {
  if (!/^\s{0,100}---[ \t]*\n[A-Za-z_][\w-]{0,99}[ \t]*:/.test(text.whole)) return
  throw skillFault(
    text,
    undefined,
    "expected a line --- that ends the front matter, found none.",
    "Put a line --- below its last key.",
  )
}
