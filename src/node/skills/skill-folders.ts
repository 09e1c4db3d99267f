import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { attempt } from "../../core/errors.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import { splitFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import type { SkillProblem } from "./skill-problem.ts"

/** A skill's file that was found and is not read yet. */
export interface FoundSkill {
  /** Absolute, links followed. */
  readonly path: string
  /** True for a folder in the open Agent Skills form. */
  readonly open: boolean
}

/** The skills that a reference led to, and the problems of finding them. */
export type FoundSkills = { readonly found: readonly FoundSkill[]; readonly problems: readonly SkillProblem[] }

/** The search below one folder ends after this many entries: a collection of skills has thousands, a disk millions. */
const maxEntries = 100_000
const maxDepth = 12

/** Large folders in which nobody publishes skills. */
const skipped: ReadonlySet<string> = new Set([".git", "node_modules"])

/** The `SKILL.md` of a folder, in any case of letters, links followed. One that leads outside `root` does not count. */
export function skillFileIn(folder: string, root: string): string | undefined {
  return skillFileAmong(sortedEntries(folder), folder, root)
}

/** Finds every skill below a folder that is no skill itself: folders with a `SKILL.md`, and Markdown files of our own form directly in it. */
export function findInFolder(root: string): FoundSkills {
  const walk: Walk = { root, found: [], problems: [], entries: 0 }
  visit(root, walk, 0)
  if (walk.entries > maxEntries) {
    const message = `expected at most ${maxEntries.toLocaleString("en")} files below a folder of skills; what comes after them was not looked at.`
    walk.problems.push({ severity: "error", rule: "too-many-files", message, source: { file: displayPath(root), line: 1 } })
  }
  return walk
}

interface Walk {
  readonly root: string
  readonly found: FoundSkill[]
  readonly problems: SkillProblem[]
  entries: number
}

function visit(folder: string, walk: Walk, depth: number): void {
  if (walk.entries > maxEntries) return
  const entries = sortedEntries(folder)
  walk.entries += entries.length
  const own = skillFileAmong(entries, folder, walk.root)
  if (own !== undefined) {
    walk.found.push({ path: own, open: true })
    return
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < maxDepth && !skipped.has(entry.name)) visit(path, walk, depth + 1)
    } else if (depth === 0 && entry.isFile() && entry.name.endsWith(".md")) {
      if (looksLikeSkill(path)) walk.found.push({ path, open: false })
    } else if (entry.isSymbolicLink() && isOutside(path, walk.root)) {
      // A link that leads inside needs nothing: the search comes to its target by itself.
      const message = "expected a path inside the folder of skills, but this link leads outside; it is left out."
      walk.problems.push({ severity: "warning", rule: "outside", message, source: { file: displayPath(path), line: 1 } })
    }
  }
}

/** False for a Markdown file such as a README: it has no front matter, or none of these keys. */
function looksLikeSkill(path: string): boolean {
  try {
    const { block } = splitFrontMatter(readTextFile(path), displayPath(path), { blankLines: true })
    return block !== undefined && /^(?:name|mode|priority)[ \t]*:/m.test(block)
  } catch {
    // A file that cannot be read may be a skill: reading it again as one says what is wrong with it.
    return true
  }
}

function skillFileAmong(entries: readonly Dirent[], folder: string, root: string): string | undefined {
  const names = entries.map(({ name }) => name)
  const name = names.includes("SKILL.md") ? "SKILL.md" : names.find((one) => one.toLowerCase() === "skill.md")
  if (name === undefined) return undefined
  const path = join(folder, name)
  return isOutside(path, root) ? undefined : path
}

function isOutside(path: string, root: string): boolean {
  // A link whose target is missing leads nowhere.
  return attempt(() => !`${realpathSync(path)}${sep}`.startsWith(`${root}${sep}`), false)
}

function sortedEntries(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

const maxResources = 1_000
const maxResourceEntries = 10_000
const maxResourceDepth = 8

/**
 * Lists up to 1,000 files of a skill's folder beside its `SKILL.md`: relative to the folder, parts joined by `/`, sorted. Nothing
 * is opened or run. Hidden files, and links that lead outside, are left out.
 */
export function listSkillResources(
  folder: string,
  skillFile: string,
): Pick<Skill, "resources" | "scripts"> & { readonly problems: readonly SkillProblem[] } {
  const walk: ResourceWalk = { folder, files: [], outside: [], entries: 0, full: false }
  visitResources(folder, walk, 0)
  const resources = walk.files.filter((path) => path !== skillFile).sort()
  const source = { file: displayPath(join(folder, skillFile)), line: 1 }
  const problems = walk.outside.map((path): SkillProblem => {
    const message = `expected files inside the skill's folder, but ${JSON.stringify(path)} leads outside; it is left out.`
    return { severity: "warning", rule: "outside", message, source }
  })
  if (walk.full) {
    const message = `expected at most ${maxResources} files in a skill's folder; the others are left out.`
    problems.push({ severity: "warning", rule: "too-many-files", message, source })
  }
  return { resources, scripts: resources.filter((path) => path.startsWith("scripts/")), problems }
}

interface ResourceWalk {
  readonly folder: string
  readonly files: string[]
  readonly outside: string[]
  entries: number
  full: boolean
}

/** The entries are sorted, so that the same files of a full folder are left out on every file system. */
function visitResources(folder: string, walk: ResourceWalk, depth: number): void {
  const entries = sortedEntries(folder).filter(({ name }) => !name.startsWith("."))
  walk.entries += entries.length
  walk.full ||= walk.entries > maxResourceEntries
  for (const entry of entries) {
    if (walk.full) return
    const path = join(folder, entry.name)
    const shown = relative(walk.folder, path).split(sep).join("/")
    if (entry.isDirectory()) {
      if (depth < maxResourceDepth && entry.name !== "node_modules") visitResources(path, walk, depth + 1)
    } else if (entry.isSymbolicLink() && isOutside(path, walk.folder)) walk.outside.push(shown)
    else if (existsSync(path) && statSync(path).isFile()) {
      walk.full = walk.files.length >= maxResources
      if (!walk.full) walk.files.push(shown)
    }
  }
}
