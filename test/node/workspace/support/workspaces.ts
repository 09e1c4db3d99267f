import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { type FileSystem, nodeFileSystem } from "../../../../src/node/workspace/file-system.ts"

/** The host's file system as it is where descriptors cannot be asked what they have open. */
const namedFileSystem: FileSystem = { ...nodeFileSystem, descriptors: undefined }

/** Both ways to judge a path, for tests that must hold either way; only the second where there are no descriptors to ask. */
export const judgments: readonly { readonly judgedBy: "opened" | "named"; readonly fs: FileSystem }[] = [
  ...(nodeFileSystem.descriptors ? [{ judgedBy: "opened" as const, fs: nodeFileSystem }] : []),
  { judgedBy: "named", fs: namedFileSystem },
]

/** What a call comes to: what it gives, or the code of its error. Other errors are thrown on. */
export async function outcomeOf<T>(task: Promise<T>): Promise<T | string> {
  try {
    return await task
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error.code
    throw error
  }
}

/** The error of a call that must fail. */
export async function failureOf(task: Promise<unknown>): Promise<PromptStrataError> {
  const settled = await task.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ("error" in settled && PromptStrataError.isInstance(settled.error)) return settled.error
  throw new Error("expected an error of this library", { cause: settled })
}

/** Every file below a folder and what it holds, links not followed. */
export function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    names
      .map((entry) => [join(entry.parentPath, entry.name), entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, entry]) => [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "(no file)"]),
  )
}

/** What a workspace must not leave behind: temporary files, and changes that are neither done nor dropped. */
export function leftovers(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp$|\.pending$|lock-/.test(name))
}

/** Ids that count. */
export function countingIds(): { next(prefix: string): string } {
  let count = 0
  return {
    next: (prefix) => {
      count += 1
      return `${prefix}-${count}`
    },
  }
}
