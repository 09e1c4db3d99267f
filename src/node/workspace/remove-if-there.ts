import { isAbsent } from "./file-errors.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** Removes a file; true when there was one. */
export async function removeIfThere({ fs }: WorkspaceRoot, path: string): Promise<boolean> {
  try {
    await fs.remove(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}
