import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { PromptSource } from "../../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../../prompt/dialect/shipped-files.ts"
import { encodeInline } from "../../prompt/encode/inline.ts"
import type { TemplateValues } from "../../prompt/template/render.ts"
import type { ToolContext } from "../../prompt/tools/tool.ts"
import { toolWords } from "../../prompt/tools/tool-words.ts"
import { canonicalPath, samePath } from "../workspace/paths.ts"
import table from "./file-sentences.json" with { type: "json" }
import type {
  FileMount,
  FileOperation,
  FileToolName,
  FileToolsOptions,
  ReadableWorkspace,
  WritableWorkspace,
} from "./file-tool-options.ts"
import type { ReadLedger } from "./read-ledger.ts"

/** Everything that a file tool is made from. */
export interface FileToolParts {
  /** The tool's name. */
  readonly name: string
  readonly words: FileWords
  readonly places: FilePlaces
  readonly reads: ReadLedger
  readonly pageCharacters: number
  readonly allow: NonNullable<FileToolsOptions["allow"]>
  readonly confirmRule: NonNullable<FileToolsOptions["confirmRule"]>
}

/** Throws, in the tool's words, when the model may not read or write a path. */
export async function requireAllowed(
  { allow, words }: FileToolParts,
  path: string,
  { operation, context }: { readonly operation: FileOperation; readonly context: ToolContext },
): Promise<void> {
  if (!(await allow(path, operation, context))) throw words.problem({ path: shownPath(path), forbidden: true })
}

/** True for the error about a file that does not exist. */
export function isMissingFile(thrown: unknown): boolean {
  return PromptStrataError.isInstance(thrown) && thrown.code === "file-missing"
}

/** A place that a path leads to: in the workspace, or in a mount, which is read-only. */
export interface FilePlace {
  readonly workspace: ReadableWorkspace
  /** The path inside it; `""` for its root. */
  readonly path: string
  readonly mount?: FileMount
}

/** A workspace with its mounts, in which paths are found. */
export type FilePlaces = ReturnType<typeof filePlaces>

/** The places of a workspace and its mounts. A mount hides the files of the workspace under its prefix, in any spelling. */
export function filePlaces(workspace: WritableWorkspace, mounts: readonly FileMount[] = []) {
  return {
    workspace,
    mounts,
    /** Finds the place of a path. Throws as the workspace's path rules do. */
    find(path: string): FilePlace {
      const names = canonicalPath(path).split("/")
      for (const mount of mounts) {
        const depth = mount.prefix.split("/").length
        if (names.length >= depth && samePath(names.slice(0, depth).join("/"), mount.prefix))
          return { workspace: mount.workspace, path: names.slice(depth).join("/"), mount }
      }
      return { workspace, path: names.join("/") }
    },
    /** The path that the model uses for a path inside a place. */
    shown: ({ mount }: Pick<FilePlace, "mount">, path: string): string =>
      [mount?.prefix, path].filter((part) => part !== undefined && part !== "").join("/"),
  }
}

/** The sentences of a file tool. */
export type FileWords = ReturnType<typeof fileWords>

/** The words of a file tool: its own from `tools/LOCALE/NAME.md`, and the shared ones from `file-problem.md`. */
export function fileWords(
  tool: FileToolName,
  locale: string,
  prompts: readonly PromptSource[] = shippedPrompts("tools", locale),
) {
  const words = toolWords(prompts, locale, tool)
  const shared = toolWords(prompts, locale, "file-problem")
  return {
    ...words,
    /** A sentence that all file tools share: the change about which a person is asked. */
    asks: shared.say,
    /** An error in these sentences, about a file that could not be used. */
    problem: shared.refuse,
  }
}

/** A path for an answer to the model, encoded so that it cannot end the sentence around it. */
export function shownPath(path: string): string {
  return encodeInline(path === "" ? "." : path)
}

/** Runs a task with files. A failure is reported in the tool's words. An abort and an error in those words pass unchanged. */
export async function withFileProblems<T>(words: FileWords, path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (thrown) {
    const isReported = PromptStrataError.isInstance(thrown) && (thrown.code === "tool-arguments" || thrown.code === "aborted")
    throw isReported ? thrown : words.problem({ path: shownPath(path), ...problemValues(thrown) })
  }
}

/** The sentence of `file-problem.md` for each error, and for each failure of the system. For other failures the model reads only the code: the message is for people. */
const sentences: Readonly<Record<string, string>> = { ...table.errors, ...table.system }

function problemValues(thrown: unknown): TemplateValues {
  if (!PromptStrataError.isInstance(thrown)) return { failed: messageOf(thrown) }
  if (thrown.code === "file-encoding" && thrown.evidence.characterIndex !== undefined) return { bad_character: true }
  if (thrown.code === "file-size") return { too_large: true, size: thrown.evidence.sizeBytes, limit: thrown.evidence.maxBytes }
  const system = thrown.code === "file" ? thrown.evidence.code : undefined
  const sentence = sentences[thrown.code] ?? (system === undefined ? undefined : sentences[system])
  return sentence === undefined ? { failed: system ?? thrown.message } : { [sentence]: true }
}
