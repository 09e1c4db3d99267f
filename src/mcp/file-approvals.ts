import { mkdir, readFile } from "node:fs/promises"
import { dirname } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import { isRecord } from "./any-result.ts"
import type { Fingerprints, McpApprovals } from "./approvals.ts"

/**
 * Approvals in a JSON file, made when something is first approved; written whole or not at all. A file that cannot be read as
 * such throws `mcp` and is left alone: taking it for empty would approve everything anew.
 */
export function fileApprovals(path: string): McpApprovals {
  const load = async (): Promise<Fingerprints> => parse(path, await readIfThere(path))
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

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return undefined
    throw unreadable(path, messageOf(error), error)
  }
}

function parse(path: string, text: string | undefined): Fingerprints {
  if (text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    const approved = isRecord(data) ? data.approved : undefined
    if (!isRecord(approved)) throw new Error('it has no object "approved"')
    return Object.fromEntries(Object.entries(approved).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
  } catch (error) {
    throw unreadable(path, messageOf(error), error)
  }
}

function unreadable(path: string, reason: string, cause: unknown): PromptStrataError {
  return new PromptStrataError("mcp", `The approvals of MCP tools in ${path} cannot be read: ${reason}`, {
    cause,
    hint: "Mend the file, or delete it: then every tool counts as never seen.",
    evidence: { path },
  })
}
