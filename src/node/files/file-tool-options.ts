import type { PromptSource } from "../../prompt/dialect/prompt-source.ts"
import type { ToolContext } from "../../prompt/tools/tool.ts"
import type { FileWorkspace } from "../workspace/workspace.ts"

/** The names of all file tools. */
export const fileToolNames = ["read", "write", "edit", "list", "search"] as const

/** The name of a file tool. */
export type FileToolName = (typeof fileToolNames)[number]

/** The part of a workspace that file tools need to read, such as a skill's folder. Pictures need `readBytes`. */
export type ReadableWorkspace = Pick<FileWorkspace, "read" | "list" | "search" | "stat"> &
  Partial<Pick<FileWorkspace, "readBytes">>

/** The part of a workspace that file tools need to read and write. */
export type WritableWorkspace = ReadableWorkspace & Pick<FileWorkspace, "resolve" | "write">

/** An access to a path: `read` shows its text, `list` shows its name, `write` creates or changes it. */
export type FileOperation = "read" | "list" | "write"

/** A read-only folder that appears in the workspace under a path. */
export interface FileMount {
  /** Such as `skills/diary`. A model sees its files as `skills/diary/…`. */
  readonly prefix: string
  readonly workspace: ReadableWorkspace
}

/** True for the folder of a mount and every path in it, as tools show them. */
export function isInMount(path: string, mounts: readonly FileMount[] = []): boolean {
  return mounts.some(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
}

/** A change that a tool is about to make. */
export interface FileChange {
  /** As the file is spelled on the disk, or will be. It is never another spelling, a link or an alias. */
  readonly path: string
  /** Absent when there is no file yet. */
  readonly before?: string | undefined
  readonly after: string
}

/**
 * Says if the user is asked before a change. `free`: no. `ask`: yes, and the change is refused when nobody can be asked.
 * `ask-if-possible`: yes, and the change is made when nobody can be asked.
 */
export type ConfirmRule = "free" | "ask" | "ask-if-possible"

/** Settings of `createFileTools`. All have defaults. */
export interface FileToolsOptions {
  /** The language of the tools' texts. Default `en`. */
  readonly locale?: string | undefined
  /** The prompt files with the tools' words. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[] | undefined
  /** The tools to make. Default: all. */
  readonly tools?: readonly FileToolName[] | undefined
  /** Other names for them, such as `read_file` for `read`. */
  readonly names?: Partial<Readonly<Record<FileToolName, string>>> | undefined
  readonly mounts?: readonly FileMount[] | undefined
  /** False hides a path from the model: it is not read, written, listed or found. Default: everything is allowed. */
  readonly allow?: ((path: string, operation: FileOperation, context: ToolContext) => boolean | Promise<boolean>) | undefined
  /** Default: `free` for every change. */
  readonly confirmRule?: ((change: FileChange, context: ToolContext) => ConfirmRule) | undefined
  /** The most characters (UTF-16 units) that `read` returns at once. Default 10,000. */
  readonly pageCharacters?: number | undefined
}
