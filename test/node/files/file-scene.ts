import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createFileTools } from "../../../src/node/files/create-file-tools.ts"
import type { FileToolsOptions } from "../../../src/node/files/file-tool-options.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { FileWorkspace } from "../../../src/node/workspace/workspace.ts"
import type { ConfirmRequest, Tool, ToolContext, ToolRecord } from "../../../src/prompt/tools/tool.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** The parts of a turn that a call depends on. */
export interface CallOptions {
  readonly turnId?: string
  readonly conversation?: string
  /** Answers when a tool asks. When absent, nobody can be asked. */
  readonly confirm?: (request: ConfirmRequest) => boolean | Promise<boolean>
  readonly isShownWhole?: (key: string) => boolean
  readonly resultFits?: (result: string) => boolean
  readonly takes?: (mediaType: string) => boolean
  readonly signal?: AbortSignal
}

/** Calls a tool as a turn does: its arguments are checked, and an error is returned as `! ` and its message. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: Record<string, unknown>,
  { records = [], ...options }: CallOptions & { readonly records?: ToolRecord[] } = {},
): Promise<string> {
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  const checked = await tool.check(args)
  if (!checked.ok) return `! ${checked.issues.join("; ")}`
  try {
    return String(await tool.execute(checked.value, contextOf(options, records)))
  } catch (error) {
    return `! ${error instanceof Error ? error.message : String(error)}`
  }
}

function contextOf(options: CallOptions, records: ToolRecord[]): ToolContext {
  const {
    turnId = "turn_1",
    conversation = "c",
    confirm,
    isShownWhole,
    resultFits,
    takes,
    signal = new AbortController().signal,
  } = options
  return {
    signal,
    key: { agent: "fay", conversation, audience: "private", user: "u" },
    turnId,
    clock: { nowMs: () => 0 },
    record: (record) => records.push(record),
    ...(confirm ? { confirm: async (request) => confirm(request) } : {}),
    ...(isShownWhole ? { isShownWhole } : {}),
    ...(resultFits ? { resultFits } : {}),
    ...(takes ? { takes } : {}),
  }
}

/** File tools over a real folder, in English. */
export interface FileScene {
  readonly folder: string
  readonly workspace: FileWorkspace
  readonly records: ToolRecord[]
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<string>
  /** The content of a file in the folder. */
  text(path: string): string
}

/** Makes a scene with files in its folder. */
export async function fileScene(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: FileToolsOptions = {},
): Promise<FileScene> {
  const folder = tempFolder(files)
  const workspace = await openFolder(folder)
  const tools = createFileTools(workspace, options)
  const records: ToolRecord[] = []
  return {
    folder,
    workspace,
    records,
    call: (name, args, callOptions) => callTool(tools, name, args, { records, ...callOptions }),
    text: (path) => readFileSync(join(folder, path), "utf8"),
  }
}
