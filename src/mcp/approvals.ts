import { mkdir, readFile } from "node:fs/promises"
import { dirname } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import { isRecord } from "../core/json-access.ts"
import type { RemoteTool } from "./remote-tools.ts"

/** Approved tools: the fingerprint of the approved definition by `server.tool`. */
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
 * Stores approvals in a JSON file, which the first approval creates. The file is always written as a whole. One that cannot be
 * read throws `mcp` and is not changed: if it counted as empty, every tool would be approved anew.
 */
export function fileApprovals(path: string): McpApprovals {
  const load = (): Promise<Fingerprints> => readFingerprints(path)
  let writing: Promise<unknown> = Promise.resolve()
  return {
    load,
    save(approved) {
      const write = async (): Promise<void> => {
        const all = { ...(await load()), ...approved }
        const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
        await mkdir(dirname(path), { recursive: true })
        await writeFileAtomic(path, `${JSON.stringify({ version: 1, approved: sorted }, undefined, 2)}\n`)
      }
      const done = writing.then(write, write)
      writing = done.catch(() => undefined)
      return done
    },
  }
}

async function readFingerprints(path: string): Promise<Fingerprints> {
  try {
    const data: unknown = JSON.parse(await readFile(path, "utf8"))
    const approved = isRecord(data) ? data.approved : undefined
    if (!isRecord(approved)) throw new Error('it has no object "approved"')
    return Object.fromEntries(Object.entries(approved).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code === "ENOENT") return {}
    throw new PromptStrataError("mcp", `The approvals of MCP tools in ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
      hint: "Repair the file or delete it. Without it, every tool counts as new.",
      evidence: { path },
    })
  }
}

/** The state of a tool: `new` was never approved, `changed` was approved with another definition. */
export type Verdict = "approved" | "new" | "changed"

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

  /** Returns a verdict for each tool, by name. With `first-use`, tools that were never seen are approved first. */
  async review(
    server: string,
    tools: readonly RemoteTool[],
    approve: "first-use" | "ask",
  ): Promise<ReadonlyMap<string, Verdict>> {
    await this.load().catch((error: unknown) => this.#onProblem(messageOf(error)))
    const definitions = tools.map((tool) => [`${server}.${tool.name}`, tool.fingerprint] as const)
    if (approve === "first-use") await this.approve(definitions.filter(([key]) => !Object.hasOwn(this.#approved, key)))
    return new Map(tools.map(({ name, fingerprint }) => [name, this.#verdict(`${server}.${name}`, fingerprint)]))
  }

  /** Approves definitions, by `server.tool`. If they cannot be stored, they still count in this process. */
  async approve(definitions: readonly (readonly [tool: string, fingerprint: string])[]): Promise<void> {
    if (definitions.length === 0) return
    const approved = Object.fromEntries(definitions)
    this.#approved = { ...this.#approved, ...approved }
    await this.#store.save(approved).catch((error: unknown) => this.#onProblem(messageOf(error)))
  }

  #verdict(key: string, fingerprint: string): Verdict {
    if (!Object.hasOwn(this.#approved, key)) return "new"
    return this.#approved[key] === fingerprint ? "approved" : "changed"
  }
}
