import { lint } from "../../src/lint/lint.ts"
import type { LintContext, LintProblem } from "../../src/lint/rule.ts"
import { readLintFiles } from "../../src/node/lint/read-lint-files.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** The files of a project by path. */
export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>

/** A character without a mistake. The mistake of a case is in the files that the case adds or replaces. */
export const cleanProject: ProjectFiles = {
  "profiles/luna.toml": 'locale = "en"\n\n[prompt]\nfolder = "../prompts"\npersona = "luna"\n',
  "prompts/characters/en/luna.md":
    '---\nname: Luna\n---\nYou are Luna, a kind and playful friend. You speak briefly and call the user "my friend".\n',
}

/** Reads a project as `promptstrata lint` does: its profiles; if it has none, its prompts folder alone. */
export async function readProject(files: ProjectFiles): Promise<{ readonly folder: string; readonly context: LintContext }> {
  const folder = tempFolder(files)
  const profiles = Object.keys(files).filter((path) => path.startsWith("profiles/") && path.endsWith(".toml"))
  const context = await readLintFiles({
    profiles: profiles.map((path) => `${folder}/${path}`),
    ...(profiles.length === 0 ? { promptFolder: `${folder}/prompts` } : {}),
  })
  return { folder, context }
}

/** The problems that `lint` finds in a project. The test's folder is removed from their paths. */
export async function lintProject(files: ProjectFiles): Promise<LintProblem[]> {
  const { folder, context } = await readProject(files)
  const plain = (text: string) => text.replaceAll(`${folder}/`, "")
  return lint(context).map((problem) => ({ ...problem, file: plain(problem.file), message: plain(problem.message) }))
}

/** A problem in one line: `file:line:column severity rule: message`. */
export function inOneLine({ file, line, column, severity, rule, message }: LintProblem): string {
  return `${file}:${line}:${column} ${severity} ${rule}: ${message}`
}
