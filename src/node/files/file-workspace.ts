import type { Workspace } from "../workspace/workspace.ts"

/** What the tools need of a workspace that is only read, such as a skill's folder. */
export type ReadableWorkspace = Pick<Workspace, "read" | "list" | "search" | "stat">

/** What the tools need of the workspace they write to. */
export type FileWorkspace = ReadableWorkspace & Pick<Workspace, "resolve" | "write">
