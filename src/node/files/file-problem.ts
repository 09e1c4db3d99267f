import { type ErrorCode, messageOf, PromptStrataError } from "../../core/errors.ts"
import type { TemplateValues } from "../../template/render.ts"
import { type FileWords, shownPath } from "./file-words.ts"

/** Which sentence of `file-problem.md` tells of an error. */
const sentences: Partial<Readonly<Record<ErrorCode, string>>> = {
  "file-missing": "missing",
  "file-kind": "not_file",
  "file-size": "too_large",
  "file-encoding": "not_text",
  "file-path": "bad_path",
  "file-outside": "bad_path",
  "file-conflict": "changed",
  "file-busy": "changed",
}

/** And of what the operating system said; of all else only its code is told, as the rest is meant for people. */
const systemSentences: Readonly<Record<string, string>> = {
  EACCES: "no_permission",
  EPERM: "no_permission",
  EROFS: "no_permission",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
}

/**
 * Runs something with files; what fails there is told in the tool's own words. An abort, and what is in those words already,
 * passes as it is.
 */
export async function withFileProblems<T>(words: FileWords, path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (thrown) {
    throw fileProblem(words, path, thrown)
  }
}

function fileProblem(words: FileWords, path: string, thrown: unknown): unknown {
  if (!PromptStrataError.isInstance(thrown)) return words.problem(values(path, { failed: messageOf(thrown) }))
  const { code, evidence } = thrown
  if (code === "tool-arguments" || code === "aborted") return thrown
  if (code === "file-encoding" && "character" in evidence) return words.problem(values(path, { bad_character: true }))
  const system = typeof evidence.code === "string" ? evidence.code : undefined
  const sentence = sentences[code] ?? (system === undefined ? undefined : systemSentences[system])
  if (sentence !== undefined) return words.problem(values(path, { [sentence]: true, ...sizes(evidence) }))
  return words.problem(values(path, { failed: system ?? thrown.message }))
}

function values(path: string, more: TemplateValues): TemplateValues {
  return { path: shownPath(path), ...more }
}

function sizes({ sizeBytes, maxBytes }: PromptStrataError["evidence"]): TemplateValues {
  return {
    size: typeof sizeBytes === "number" ? sizeBytes : undefined,
    limit: typeof maxBytes === "number" ? maxBytes : undefined,
  }
}
