import { parseToml } from "./parse-toml.ts"
import { issueProblems, unsafeKeyProblems } from "./profile-issues.ts"
import { problemsError } from "./profile-problem.ts"
import { type ProfileFile, profileFileSchema } from "./profile-schema.ts"
import { readTextFile } from "./read-text-file.ts"
import { displayPath } from "./shipped-files.ts"
import type { TomlNode } from "./toml-positions.ts"

/** The largest profile that is read: 1 MiB. */
const maxBytes = 1024 * 1024

/** One profile file, checked. */
export interface ProfileDocument {
  readonly path: string
  /** The path as messages and sources show it. */
  readonly file: string
  readonly text: string
  readonly data: ProfileFile
  readonly positions: TomlNode
}

/** Reads and checks one profile file. What is wrong with it is one error `profile` that names every problem with its place. */
export function readProfileFile(path: string): ProfileDocument {
  const file = displayPath(path)
  const text = readTextFile(path, file, { maxBytes, kind: "profile" }).replace(/^\uFEFF/, "")
  const { data, positions } = parseToml(text, file)
  const unsafe = unsafeKeyProblems(positions)
  // Beyond the bounded depth nothing recursive may touch the data.
  if (unsafe.length > 0) throw problemsError([{ text, file, problems: unsafe }])
  // Compiling the checks costs more than the few profiles of a process give back.
  const checked = profileFileSchema.safeParse(data, { jitless: true })
  if (checked.success) return { path, file, text, data: checked.data, positions }
  throw problemsError([{ text, file, problems: issueProblems(checked.error.issues, { data, positions }) }])
}
