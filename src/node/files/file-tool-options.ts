import type { PromptSource } from "../../dialect/prompt-source.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { ReadLedger } from "./read-ledger.ts"

/** The file tools there are. */
export const fileToolNames = ["read", "write", "edit", "list", "search"] as const

/** One of the file tools. */
export type FileToolName = (typeof fileToolNames)[number]

/** What is done to a path: its text is shown, its name is shown, or it is made or changed. */
export type FileOperation = "read" | "list" | "write"

/** A folder of its own that stands in the workspace under a path, for reading only. */
export interface FileMount {
  /** Such as `skills/diary`; its files are `skills/diary/…` to a model. */
  readonly prefix: string
  readonly workspace: ReadableWorkspace
}

/** A change that a tool is about to make. */
export interface FileChange {
  /** As the file is spelled on the disk, or will be: no other spelling, link or alias. */
  readonly path: string
  /** Absent where there is no file yet. */
  readonly before?: string
  readonly after: string
}

/** Whether somebody is asked before a change: `ask` refuses it where nobody can be asked, `ask-if-possible` makes it then. */
export type ConfirmRule = "free" | "ask" | "ask-if-possible"

/** Settings of `createFileTools`; all have defaults. */
export interface FileToolsOptions {
  /** The language of the tools' texts. Default `en`. */
  readonly locale?: string
  /** The prompt files with the tools' words; default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  /** Which tools are made. Default: all. */
  readonly tools?: readonly FileToolName[]
  /** Other names for them, such as `read_file` for `read`. */
  readonly names?: Partial<Readonly<Record<FileToolName, string>>>
  readonly mounts?: readonly FileMount[]
  /** False keeps a path from the model: it is neither read, written, listed nor found. Default: everything is allowed. */
  readonly allow?: (path: string, operation: FileOperation, context: ToolContext) => boolean | Promise<boolean>
  /** Default: nobody is asked. */
  readonly confirmRule?: (change: FileChange, context: ToolContext) => ConfirmRule
  /** What the model has been shown; pass one to add what it sees elsewhere. Default: one of the tools' own. */
  readonly reads?: ReadLedger
  /** Characters (UTF-16 units) that `read` hands out at once. Default 10,000. */
  readonly pageCharacters?: number
}

/** What the tools need of a workspace that is only read, such as a skill's folder. */
export type ReadableWorkspace = Pick<Workspace, "read" | "list" | "search" | "stat">

/** What the tools need of the workspace they write to. */
export type FileWorkspace = ReadableWorkspace & Pick<Workspace, "resolve" | "write">
