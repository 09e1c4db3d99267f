import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { LintFault } from "../../lint/context.ts"
import type { Profile } from "../../profile/profile.ts"
import { cardProblems } from "../../prompt/layers/card/card-problems.ts"
import { isPartsPath, partNames, readCardFolder } from "../cards/card-folder.ts"
import { listFields, loreFolder, partsFile, textFields } from "../cards/card-parts.ts"
import { displayPath } from "../shipped-files.ts"

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

function fileOfProblem(problem: string, folder: string): string {
  const [, list = "", nth] = /^(?:character_book\.)?(\w+)\[(\d+)\]/.exec(problem) ?? []
  const inFolder = list === "entries" ? loreFolder : listFields.find((name) => name === list)
  if (inFolder !== undefined) return partNames(folder, inFolder)[Number(nth)] ?? partsFile
  const name = /^([^:]+): /.exec(problem)?.[1] ?? ""
  const own = textFields.includes(name) ? `${name}.md` : name
  return name !== "" && existsSync(join(folder, own)) ? own : partsFile
}
