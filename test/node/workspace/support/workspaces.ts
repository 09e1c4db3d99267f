import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { type FileSystem, nodeFileSystem } from "../../../../src/node/workspace/file-system.ts"

/** The file system of this machine without the ability to ask what a descriptor has open, as on macOS and Windows. */
const namedFileSystem: FileSystem = { ...nodeFileSystem, descriptors: undefined }

/** Both ways to judge a path, for tests that must hold in each. Only the second on systems that cannot ask descriptors. */
export const judgments: readonly { readonly pathCheck: "opened" | "named"; readonly fs: FileSystem }[] = [
  ...(nodeFileSystem.descriptors ? [{ pathCheck: "opened" as const, fs: nodeFileSystem }] : []),
  { pathCheck: "named", fs: namedFileSystem },
]

/** The result of a call, or the code of its error. Errors without a code are thrown. */
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

/** Every file below a folder with its content. Links are not followed. */
export function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    names
      .map((entry) => [join(entry.parentPath, entry.name), entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, entry]) => [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "(no file)"]),
  )
}

/** Files that a workspace must not leave behind: temporary files, and changes that are neither done nor dropped. */
export function leftovers(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp$|\.pending$|lock-/.test(name))
}

/** Ids that count up. */
export function countingIds(): { next(prefix: string): string } {
  let count = 0
  return {
    next: (prefix) => {
      count += 1
      return `${prefix}-${count}`
    },
  }
}
