import type { FileStats, FileSystem } from "./file-system.ts"

/** How often a name is looked at: who swaps it for a link and back must be lucky each time. */
const looks = 3

/** True when both are one file, whatever its names. */
export function isSame(one: FileStats, other: FileStats): boolean {
  return one.inode === other.inode && one.device === other.device
}

/** True while a real path still leads to a file, and through no link. For platforms that cannot ask what a descriptor has open. */
export async function staysThere(fs: FileSystem, real: string, stats: FileStats): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (!isSame(await fs.stat(real), stats) || (await fs.realPath(real)) !== real) return false
  }
  return true
}
