import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import type { LintFault } from "../../lint/rule.ts"
import type { Profile } from "../../profile/profile.ts"
import { foldLetters } from "../../prompt/encode/fold.ts"
import { cardProblems } from "../../prompt/layers/card/card-problems.ts"
import { isPartsPath, partNames, readCardFolder } from "../cards/card-folder.ts"
import { listFields, loreFolder, partsFile, textFields } from "../cards/card-parts.ts"
import { displayPath } from "../shipped-files.ts"
import { readSkill } from "../skills/read-skill.ts"
import { bareMessage } from "../skills/skill-problem.ts"

/** An error of loading as faults, one for each mistake that it names. A mistake without a place gets the beginning of `file`. */
export function errorFaults(error: unknown, file: string): LintFault[] {
  if (!PromptStrataError.isInstance(error)) return [{ rule: "profile", message: messageOf(error), ...placeOf(undefined, file) }]
  const rule = ruleOf(error)
  const problems = error.code === "profile" || error.code === "skill" ? error.evidence.problems : undefined
  if (problems) return problems.map(({ message, source }) => ({ ...placeOf(source, file), rule, message }))
  return [{ ...placeOf(error.source, file), rule, message: bareMessage(error), hint: error.hint }]
}

/** The problems of a skill: mistakes that keep it from loading, and breaches of the open Agent Skills standard. */
export function skillFaults(path: string): LintFault[] {
  const file = displayPath(path)
  try {
    const found = { path: realpathSync(path), open: basename(path).toLowerCase() === "skill.md" }
    return (
      readSkill(found, { modes: {}, trust: "author" })
        // A rule of its own reports hidden characters, and where they are.
        .problems.filter(({ rule }) => rule !== "hidden-characters")
        .map(({ severity, message, hint, source }) => ({ rule: "skill", severity, message, hint, ...placeOf(source, file) }))
    )
  } catch (error) {
    return errorFaults(error, file).map((fault) => (fault.rule === "profile" ? { ...fault, rule: "skill" } : fault))
  }
}

function placeOf(source: Source | undefined, file: string): Pick<LintFault, "file" | "position"> {
  return { file: source?.file ?? file, position: { line: source?.line ?? 1, column: source?.column ?? 1 } }
}

/** The rule that reports an error. Where one error code covers several rules, its evidence says which. */
function ruleOf(error: PromptStrataError): LintFault["rule"] {
  switch (error.code) {
    case "front-matter":
      return error.evidence.kind ?? "front-matter"
    case "template":
      return error.evidence.kind ?? "template-syntax"
    case "prompt":
      return promptRules[error.evidence.kind ?? "other"]
    case "profile":
      return error.evidence.kind ?? "profile"
    case "file":
      return "unreadable-file"
    default:
      return "profile"
  }
}

const promptRules = { "rest-slot": "rest-slot", "two-files": "profile", other: "front-matter" } as const

/** The problems of an imported card that is a profile's persona, each at the file in which it can be mended. */
export function cardFaults({ persona }: Profile): LintFault[] {
  const { source } = persona
  if (source === undefined || !isPartsPath(source.file)) return []
  const folder = dirname(resolve(source.file))
  return cardProblems(readCardFolder(folder)).map((message) => ({
    rule: "card",
    severity: "warning",
    message,
    file: displayPath(join(folder, fileOfProblem(message, folder))),
    position: { line: 1, column: 1 },
  }))
}

/** The pictures of a profile's character that nobody sees, and the emotions that have none. */
export function spriteFaults({ plugins, output: { format } }: Profile, file: string): LintFault[] {
  const { pictures, problems } = plugins.find(({ sprites }) => sprites)?.sprites?.() ?? { pictures: new Map(), problems: [] }
  const named = [...pictures.keys()].filter((name) => name !== "portrait" && name !== "neutral")
  const asked = (format?.emotions ?? []).map((name) => [foldLetters(name), name] as const)
  const unseen = format?.emotions ? named.filter((name) => !asked.some(([key]) => key === name)) : []
  const bare = asked.filter(([key]) => named.length > 0 && !pictures.has(key))
  return [
    ...problems,
    ...bare.map(([, name]) => `The emotion ${JSON.stringify(name)} has no picture; the neutral one, or the portrait, is shown.`),
    ...unseen.map((name) => `The picture ${JSON.stringify(name)} is never shown: the format asks for no emotion of this name.`),
    ...(format || named.length === 0
      ? []
      : ["The character's pictures of emotions are never shown: no format asks for emotions."]),
  ].map((message) => ({ rule: "sprite", severity: "warning", message, file, position: { line: 1, column: 1 } }))
}

function fileOfProblem(problem: string, folder: string): string {
  const [, list = "", nth] = /^(?:character_book\.)?(\w+)\[(\d+)\]/.exec(problem) ?? []
  const inFolder = list === "entries" ? loreFolder : listFields.find((name) => name === list)
  if (inFolder !== undefined) return partNames(folder, inFolder)[Number(nth)] ?? partsFile
  const name = /^([^:]+): /.exec(problem)?.[1] ?? ""
  const own = textFields.includes(name) ? `${name}.md` : name
  return name !== "" && existsSync(join(folder, own)) ? own : partsFile
}
