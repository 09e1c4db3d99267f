import { errnoOf } from "./file-errors.ts"
import type { FileStats, OpenFile } from "./file-system.ts"
import { openFlags } from "./open-flags.ts"
import type { OpenFolder } from "./open-folder.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** What a new file is made of. `like` gives mode and owner where it takes another's place. */
export interface NewFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number
  readonly like?: FileStats | undefined
  /** The folder it is made in, which must still be where it was before anything is written. */
  readonly folder: OpenFolder
}

/** Makes a file, which must not be there yet, and writes it through to the disk. On an error its beginning stays behind. */
export async function writeNewFile({ fs }: WorkspaceRoot, { path, bytes, mode, like, folder }: NewFile): Promise<void> {
  const handle = await fs.open(path, openFlags.create, mode)
  try {
    await folder.check()
    for (let written = 0; written < bytes.length; ) written += await handle.write(bytes, written)
    if (like) await makeAlike(handle, like)
    await handle.sync()
  } catch (error) {
    await handle.close().catch(() => {})
    throw error
  }
  await handle.close()
}

async function makeAlike(handle: OpenFile, { owner, mode }: FileStats): Promise<void> {
  const made = await handle.stat()
  if (made.owner.user !== owner.user || made.owner.group !== owner.group) {
    try {
      await handle.setOwner(owner)
    } catch (error) {
      // Only root may give files away; for others the file is theirs from now on.
      if (!["EPERM", "EINVAL", "ENOSYS"].includes(errnoOf(error) ?? "")) throw error
    }
  }
  if (made.mode !== mode) await handle.setMode(mode)
}
