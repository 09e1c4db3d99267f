import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { readOwnFile, updateFile } from "../../node/workspace/update-file.ts"
import type { RemoteTool } from "./remote-tools.ts"

/** Approved tools: the fingerprint of the approved definition and program by `server.tool`, that of the program by `server`, and that of its settings by `server:settings`. */
export type Fingerprints = Readonly<Record<string, string>>

/** A store of approvals that outlives the process. */
export interface McpApprovals {
  load(): Promise<Fingerprints>
  /** Adds these approvals. Others stay. */
  save(approved: Fingerprints): Promise<void>
}

/** Stores approvals in memory. They are lost with the process. */
export function inMemoryApprovals(): McpApprovals {
  let stored: Fingerprints = {}
  return {
    load: async () => stored,
    save: async (approved) => {
      stored = { ...stored, ...approved }
    },
  }
}

/**
 * Stores approvals in a JSON file, which the first approval creates. The file is always written as a whole, and approvals of
 * several processes are all kept. One that cannot be read throws `mcp` and is not changed: if it counted as empty, every tool
 * would be approved anew.
 */
export function fileApprovals(path: string): McpApprovals {
  return {
    load: () => readFingerprints(path),
    save(approved) {
      return updateFile(path, (text) => {
        const all = { ...parseFingerprints(text, path), ...approved }
        const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
        return `${JSON.stringify({ version: 1, approved: sorted }, undefined, 2)}\n`
      })
    },
  }
}

async function readFingerprints(path: string): Promise<Fingerprints> {
  const text = await readOwnFile(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  return parseFingerprints(text, path)
}

/** None without a text. */
function parseFingerprints(text: string | undefined, path: string): Fingerprints {
  if (text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    const approved = isRecord(data) ? data.approved : undefined
    if (!isRecord(approved)) throw new Error('it has no object "approved"')
    for (const [tool, fingerprint] of Object.entries(approved))
      if (typeof fingerprint !== "string") throw new Error(`the fingerprint of ${JSON.stringify(tool)} is no text`)
    return approved as Fingerprints
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): PromptStrataError {
  return new PromptStrataError("mcp", `The approvals of MCP tools in ${path} cannot be read: ${messageOf(cause)}`, {
    cause,
    hint: "Repair the file or delete it. Without it, every tool counts as new.",
    evidence: { path },
  })
}

/** The state of a tool: `new` was never approved, `changed` was approved with another definition, program or address. */
export type ToolState = "approved" | "new" | "changed"

/** Hashes of a server that was started: its settings alone, and these with the version that it reports. */
interface RunProgram {
  readonly settings: string
  readonly program: string
}

/** The key of the settings that a person allowed to be started. No name of a server or tool holds a colon before a dot. */
export function settingsKey(server: string): string {
  return `${server}:settings`
}

/** Decides which tools may be used. Problems with the store are reported to `onProblem`. */
export class ApprovalGate {
  readonly #store: McpApprovals
  readonly #onProblem: (problem: string) => void
  #approved: Fingerprints = {}

  constructor(store: McpApprovals, onProblem: (problem: string) => void) {
    this.#store = store
    this.#onProblem = onProblem
  }

  /** Reads the store. Rejects as the store does. */
  async load(): Promise<void> {
    this.#approved = { ...this.#approved, ...(await this.#store.load()) }
  }

  /**
   * Returns a verdict for each tool, by name. With `first-use`, tools that were never seen are approved first, unless the server
   * was another program or address when its tools were approved (L17).
   */
  async review(
    server: string,
    tools: readonly RemoteTool[],
    approve: "first-use" | "ask",
  ): Promise<ReadonlyMap<string, ToolState>> {
    await this.load().catch((error: unknown) => this.#onProblem(messageOf(error)))
    const known = this.#stored(server)
    const counts = ({ name, fingerprint }: RemoteTool): boolean => {
      const stored = this.#stored(`${server}.${name}`)
      const [definition, program] = fingerprint.split(":")
      // Earlier versions kept the definition alone, and nothing of the server.
      if (stored !== undefined) return known === undefined && program !== undefined && stored === definition
      return approve === "first-use" && (known === undefined || known === program)
    }
    await this.approve(tools.filter(counts).map(({ name, fingerprint }) => [`${server}.${name}`, fingerprint]))
    return new Map(tools.map(({ name, fingerprint }) => [name, this.#verdict(`${server}.${name}`, fingerprint)]))
  }

  /**
   * The verdict about a server's program or address after its tools were reviewed. With `first-use`, one that was never seen is
   * approved. The settings of an approved one are stored, so that others of its name are not started (L24).
   */
  async reviewServer(server: string, { program, settings }: RunProgram, approve: "first-use" | "ask"): Promise<ToolState> {
    if (approve === "first-use" && this.#stored(server) === undefined) await this.approve([[server, program]])
    const verdict = this.#verdict(server, program)
    if (verdict === "approved" && this.reviewSettings(server, settings) !== "approved")
      await this.approve([[settingsKey(server), settings]])
    return verdict
  }

  /** The verdict about settings before anything is started: `new` where none were approved, also by an earlier version. */
  reviewSettings(server: string, settings: string): ToolState {
    return this.#verdict(settingsKey(server), settings)
  }

  /** Approves definitions, by `server.tool`, and programs or addresses, by `server`. If they cannot be stored, they still count in this process. */
  async approve(definitions: readonly (readonly [tool: string, fingerprint: string])[]): Promise<void> {
    if (definitions.length === 0) return
    const servers = definitions.flatMap(([tool, fingerprint]) => {
      const [, program] = fingerprint.split(":")
      return program === undefined ? [] : [[tool.slice(0, tool.indexOf(".")), program] as const]
    })
    const approved = Object.fromEntries([...definitions, ...servers])
    this.#approved = { ...this.#approved, ...approved }
    await this.#store.save(approved).catch((error: unknown) => this.#onProblem(messageOf(error)))
  }

  #verdict(key: string, fingerprint: string): ToolState {
    const stored = this.#stored(key)
    return stored === undefined ? "new" : stored === fingerprint ? "approved" : "changed"
  }

  #stored(key: string): string | undefined {
    return Object.hasOwn(this.#approved, key) ? this.#approved[key] : undefined
  }
}
