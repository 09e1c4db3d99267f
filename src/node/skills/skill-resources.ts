import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { displayPath } from "../shipped-files.ts"
import type { SkillProblem } from "./skill-problem.ts"

const maxFiles = 1_000
const maxEntries = 10_000
const maxDepth = 8

/** The files of a skill's folder beside its `SKILL.md`. */
export interface SkillResources {
  /** Relative to the folder, parts joined by `/`, sorted. */
  readonly resources: readonly string[]
  /** The resources under `scripts/`. */
  readonly scripts: readonly string[]
  readonly problems: readonly SkillProblem[]
}

/** Lists the files of a skill's folder, up to 1,000. Nothing is opened or run. Hidden files, and links that lead outside, are left out. */
export function listSkillResources(folder: string, skillFile: string): SkillResources {
  const walk = { folder, files: [] as string[], outside: [] as string[], entries: 0, full: false }
  visit(folder, walk, 0)
  const resources = walk.files.filter((path) => path !== skillFile).sort()
  const source = { file: displayPath(join(folder, skillFile)), line: 1 }
  const problems = walk.outside.map((path): SkillProblem => {
    const message = `expected files inside the skill's folder, but ${JSON.stringify(path)} leads outside; it is left out.`
    return { severity: "warning", rule: "outside", message, source }
  })
  if (walk.full) {
    const message = `expected at most ${maxFiles} files in a skill's folder; the others are left out.`
    problems.push({ severity: "warning", rule: "too-many-files", message, source })
  }
  return { resources, scripts: resources.filter((path) => path.startsWith("scripts/")), problems }
}

interface Walk {
  readonly folder: string
  readonly files: string[]
  readonly outside: string[]
  entries: number
  full: boolean
}

function visit(folder: string, walk: Walk, depth: number): void {
  for (const entry of entriesOf(folder, walk)) {
    if (walk.full) return
    const path = join(folder, entry.name)
    const shown = relative(walk.folder, path).split(sep).join("/")
    if (entry.isDirectory()) {
      if (depth < maxDepth && entry.name !== "node_modules") visit(path, walk, depth + 1)
    } else if (entry.isSymbolicLink()) {
      const target = linkedFile(path, walk.folder)
      if (target === "inside") add(shown, walk)
      if (target === "outside") walk.outside.push(shown)
    } else if (entry.isFile()) add(shown, walk)
  }
}

function add(path: string, walk: Walk): void {
  walk.full ||= walk.files.length >= maxFiles
  if (!walk.full) walk.files.push(path)
}

/** The entries of a folder, sorted, so that the same files are left out of a full folder on every file system. */
function entriesOf(folder: string, walk: Walk): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."))
  walk.entries += entries.length
  walk.full ||= walk.entries > maxEntries
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Tells if a link leads to a file inside the skill's folder or to something outside; `undefined` for linked folders and broken links. */
function linkedFile(path: string, folder: string): "inside" | "outside" | undefined {
  try {
    const target = realpathSync(path)
    if (!`${target}${sep}`.startsWith(`${folder}${sep}`)) return "outside"
    return statSync(target).isFile() ? "inside" : undefined
  } catch {
    return undefined
  }
}
