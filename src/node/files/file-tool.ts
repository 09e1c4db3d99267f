import { type ErrorCode, messageOf, PromptStrataError } from "../../core/errors.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped-prompts.ts"
import { encodeInline } from "../../encode/inline.ts"
import { renderTemplate, type TemplateValues } from "../../template/render.ts"
import type { ToolContext } from "../../tools/tool.ts"
import { type ToolWords, toolWords } from "../../tools/tool-words.ts"
import { canonicalPath, samePath } from "../workspace/paths.ts"
import type {
  FileMount,
  FileOperation,
  FileToolName,
  FileToolsOptions,
  FileWorkspace,
  ReadableWorkspace,
} from "./file-tool-options.ts"
import type { ReadLedger } from "./read-ledger.ts"

/** What every file tool works with. */
export interface FileToolParts extends Pick<FileToolsOptions, "allow" | "confirmRule"> {
  /** The tool's name. */
  readonly name: string
  readonly words: FileWords
  readonly places: FilePlaces
  readonly reads: ReadLedger
  readonly pageCharacters: number
}

/** True where the model may do this to a path. */
export async function isAllowed(
  { allow }: FileToolParts,
  path: string,
  { operation, context }: { readonly operation: FileOperation; readonly context: ToolContext },
): Promise<boolean> {
  return allow === undefined || (await allow(path, operation, context))
}

/** Throws, in the tool's words, where the model may not do this to a path. */
export async function requireAllowed(
  parts: FileToolParts,
  path: string,
  asked: { readonly operation: FileOperation; readonly context: ToolContext },
): Promise<void> {
  if (!(await isAllowed(parts, path, asked))) throw parts.words.problem({ path: shownPath(path), forbidden: true })
}

/** True for the error of a file that is not there. */
export function isMissing(thrown: unknown): boolean {
  return PromptStrataError.isInstance(thrown) && thrown.code === "file-missing"
}

/** Where a path leads: into the workspace, or into a mount, which is only read. */
export interface FilePlace {
  readonly workspace: ReadableWorkspace
  /** The path inside it; `""` for its root. */
  readonly path: string
  readonly mount?: FileMount
}

/** Finds where paths lead. */
interface FilePlaces {
  readonly workspace: FileWorkspace
  readonly mounts: readonly FileMount[]
  /** Throws as the workspace's path rules do. */
  find(path: string): FilePlace
  /** A path inside a place as the model knows it. */
  shown(place: Pick<FilePlace, "mount">, path: string): string
}

/** The places of a workspace and its mounts. A mount hides what the workspace has under its prefix, however that is spelled. */
export function filePlaces(workspace: FileWorkspace, mounts: readonly FileMount[] = []): FilePlaces {
  return {
    workspace,
    mounts,
    find(path) {
      const names = canonicalPath(path).split("/")
      for (const mount of mounts) {
        const depth = mount.prefix.split("/").length
        if (names.length >= depth && samePath(names.slice(0, depth).join("/"), mount.prefix)) {
          return { workspace: mount.workspace, path: names.slice(depth).join("/"), mount }
        }
      }
      return { workspace, path: names.join("/") }
    },
    shown: ({ mount }, path) => [mount?.prefix, path].filter((part) => part !== undefined && part !== "").join("/"),
  }
}

/** What a file tool says. */
export interface FileWords extends ToolWords {
  /** Its answer. */
  say(values: TemplateValues): string
  /** Its answer as an error, which the model is told as the tool's failure. */
  refuse(values: TemplateValues): PromptStrataError
  /** What kept a file from being used, of any file tool. */
  problem(values: TemplateValues): PromptStrataError
}

/** The words of a file tool: its own from `tools/LOCALE/NAME.md`, and those all share from `file-problem.md`. */
export function fileWords(tool: FileToolName, locale: string, prompts: readonly PromptSource[] = shippedPrompts()): FileWords {
  const words = toolWords(prompts, locale, tool)
  const { answer } = toolWords(prompts, locale, "file-problem")
  const say = (values: TemplateValues) => renderTemplate(words.answer, values)
  return {
    ...words,
    say,
    refuse: (values) => new PromptStrataError("tool-arguments", say(values)),
    problem: (values) => new PromptStrataError("tool-arguments", renderTemplate(answer, values)),
  }
}

/** A path as it stands in an answer: it cannot end the sentence around it. */
export function shownPath(path: string): string {
  return encodeInline(path === "" ? "." : path)
}

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
