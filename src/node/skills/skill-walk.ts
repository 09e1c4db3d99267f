import { type Dirent, readdirSync, realpathSync } from "node:fs"
import { join, sep } from "node:path"
import { splitFrontMatter } from "../front-matter.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import type { FoundSkill, FoundSkills } from "./found-skills.ts"
import type { SkillProblem } from "./skill-problem.ts"

/** Entries that are looked at below one folder: a collection has thousands, a disk millions. */
const maxEntries = 100_000
const maxDepth = 12

/** Folders in which nobody publishes skills, and which are large. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"])

/** The `SKILL.md` of a folder, in whatever case, links followed; one that leads outside `root` does not count. */
export function skillFileIn(folder: string, root: string): string | undefined {
  const names = entriesOf(folder, { entries: 0 }).map(({ name }) => name)
  return skillFileAmong(names, { folder, root })
}

/** Finds every skill below a folder that is none itself: folders with a `SKILL.md`, and Markdown files of our form directly in it. */
export function findInFolder(root: string): FoundSkills {
  const walk: Walk = { root, found: [], problems: [], entries: 0 }
  visit(root, walk, 0)
  if (walk.entries <= maxEntries) return walk
  const message = `expected at most ${maxEntries.toLocaleString("en")} files below a folder of skills; what comes after them was not looked at.`
  return { found: walk.found, problems: [...walk.problems, { ...at(root), severity: "error", rule: "too-many-files", message }] }
}

interface Walk {
  readonly root: string
  readonly found: FoundSkill[]
  readonly problems: SkillProblem[]
  entries: number
}

function visit(folder: string, walk: Walk, depth: number): void {
  const entries = entriesOf(folder, walk)
  const own = skillFileAmong(
    entries.map(({ name }) => name),
    { folder, root: walk.root },
  )
  if (own !== undefined) {
    walk.found.push({ path: own, open: true })
    return
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < maxDepth && !passedOver.has(entry.name)) visit(path, walk, depth + 1)
    } else if (depth === 0 && entry.isFile() && entry.name.endsWith(".md")) visitFile(path, walk)
    // What a linked folder inside the root holds is found where it really is.
    else if (entry.isSymbolicLink() && isOutside(path, walk.root)) walk.problems.push(outside(path))
  }
}

function visitFile(path: string, walk: Walk): void {
  try {
    if (looksLikeSkill(path)) walk.found.push({ path, open: false })
  } catch {
    // What cannot be read may be a skill: reading it again says what is wrong with it.
    walk.found.push({ path, open: false })
  }
}

/** A README has no front matter, or none with these keys. */
function looksLikeSkill(path: string): boolean {
  const { block } = splitFrontMatter(readTextFile(path), displayPath(path), { blankLines: true })
  return block !== undefined && /^(?:name|mode|priority)[ \t]*:/m.test(block)
}

function skillFileAmong(
  names: readonly string[],
  { folder, root }: { readonly folder: string; readonly root: string },
): string | undefined {
  const name = names.includes("SKILL.md") ? "SKILL.md" : names.find((one) => one.toLowerCase() === "skill.md")
  if (name === undefined) return undefined
  const path = join(folder, name)
  return isOutside(path, root) ? undefined : path
}

function isOutside(path: string, root: string): boolean {
  try {
    return !`${realpathSync(path)}${sep}`.startsWith(`${root}${sep}`)
  } catch {
    // A link to nothing leads nowhere.
    return false
  }
}

function outside(path: string): SkillProblem {
  const message = "expected a path inside the folder of skills, but this link leads outside; it is passed over."
  return { ...at(path), severity: "warning", rule: "outside", message }
}

function at(path: string): Pick<SkillProblem, "source"> {
  return { source: { file: displayPath(path), line: 1 } }
}

/** In order of their names; none once too many were seen. */
function entriesOf(folder: string, walk: { entries: number }): Dirent[] {
  if (walk.entries > maxEntries) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  walk.entries += entries.length
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}
