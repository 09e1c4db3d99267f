import { existsSync } from "node:fs"
import { basename, dirname, resolve } from "node:path"
import { promptName } from "../../dialect/prompt-source.ts"
import type { LintFile, LintFileKind, LintProfile } from "../../lint/context.ts"
import { readLooseFile } from "./read-prompt-folder.ts"

/** Reads the personas, formats, system texts and skills that profiles name outside of the prompts folders; the library's own are left out. */
export function readLooseFiles(profiles: readonly LintProfile[], read: readonly LintFile[]): LintFile[] {
  const known = new Set(read.map(({ file }) => file))
  const loose = new Map<string, LintFile>()
  for (const { linted, profile } of profiles) {
    if (!linted || profile === undefined) continue
    const { persona, format, final, skills } = profile
    const add = (kind: LintFileKind, file: string | undefined): void => {
      // Shipped files have short names, which lead nowhere from here.
      if (file === undefined || known.has(file) || loose.has(file) || !existsSync(resolve(file))) return
      loose.set(file, readLooseFile(resolve(file), { kind, folder: "", name: nameOf(file) }))
    }
    add("persona", persona.source?.file)
    add("format", format?.source?.file)
    add("final", final.system?.source?.file)
    for (const { source } of skills) add("skill", source.file)
  }
  return [...loose.values()]
}

function nameOf(file: string): string {
  return basename(file).toLowerCase() === "skill.md" ? basename(dirname(file)) : promptName(file)
}
