import { dirname, join } from "node:path"
import type { Skill } from "../../layers/skills.ts"

/**
 * The files that the outline list lets a model read, from the path it is told to the file on disk: each outline skill's own file,
 * and what its folder holds, scripts as text too (L5). Inline skills are in the prompt already.
 */
export function skillFiles(skills: readonly Skill[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const { mode, path, file, resources } of skills) {
    if (mode !== "outline" || path === undefined || file === undefined) continue
    files.set(path, file)
    for (const resource of resources) files.set(`${folderOf(path)}${resource}`, join(dirname(file), resource))
  }
  return files
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1)
}
