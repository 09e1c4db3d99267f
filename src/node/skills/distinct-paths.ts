import type { Skill } from "../../layers/skills/skill.ts"
import { nameKey } from "../workspace/paths.ts"

/**
 * Skills of which no two are told under one path: what lies elsewhere on the disk is told under its folder's name alone, which
 * others may have too, and a model would read the wrong one. The first keeps its path, a later one becomes `skills/pdf-2/SKILL.md`.
 * `taken` are paths told before; those of these skills are added.
 */
export function withDistinctPaths(skills: readonly Skill[], taken: Set<string> = new Set()): Skill[] {
  return skills.map((skill) => {
    if (skill.path === undefined || skill.file === undefined) return skill
    const path = freePath(skill.path, taken)
    taken.add(keyOf(path))
    return path === skill.path ? skill : { ...skill, path }
  })
}

function freePath(path: string, taken: ReadonlySet<string>): string {
  let free = path
  for (let count = 2; taken.has(keyOf(free)); count++) free = numbered(path, count)
  return free
}

/** A folder's skill gets another folder, as its resources lie there too; a file gets another name. */
function numbered(path: string, count: number): string {
  const isFolders = /\/skill\.md$/i.test(path)
  const end = isFolders ? path.lastIndexOf("/") : path.lastIndexOf(".")
  return `${path.slice(0, end)}-${count}${path.slice(end)}`
}

/** As `samePath` compares: paths are found whatever the case and form of their letters. */
function keyOf(path: string): string {
  return path.split("/").map(nameKey).join("/")
}
