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
  if (code === "file-encoding" && "character" in evidence) return words.problem(values(path, { half_character: true }))
  const sentence = sentences[code]
  return words.problem(
    values(path, sentence === undefined ? { failed: thrown.message } : { [sentence]: true, ...sizes(evidence) }),
  )
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
