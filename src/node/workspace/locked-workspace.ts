import { type ChangeRules, changeFile, type Decision } from "./change-file.ts"
import { historyFiles, readEntry } from "./change-history.ts"
import { ignoring } from "./file-errors.ts"
import { closeQuietly, openFlags, removeIfThere, statIfThere } from "./file-system.ts"
import { writeNewFile } from "./folders.ts"
import type { OwnFolder } from "./own-folder.ts"
import { ownName, samePath, splitPath } from "./paths.ts"
import { readBytes } from "./read-file.ts"
import type { ChangeOptions, WriteOutcome } from "./workspace.ts"

/** A workspace that is locked: nobody else, in this process or another, changes it until the task ends. */
export interface LockedWorkspace {
  /** Changes a file as `FileWorkspace.update` does. */
  change(path: string, options: ChangeOptions, decide: (current: Uint8Array | undefined) => Decision): Promise<WriteOutcome>
  /** The content of a file in the workspace's own folder, which no tool can reach; undefined if there is none. */
  readOwn(name: string): Promise<string | undefined>
  /** Replaces such a file in one step. It is durable then. */
  writeOwn(name: string, text: string): Promise<void>
  /** Deletes all kept former contents of a file. Its changes up to now cannot be undone any more. */
  dropHistory(path: string): Promise<void>
}

const maxOwnBytes = 64 * 1024 * 1024

/** The workspace of {@link OwnFolder}, which must be locked. */
export function lockedWorkspace(rules: ChangeRules, own: OwnFolder): LockedWorkspace {
  const { root } = rules
  return {
    change: (path, { by, signal }, decide) =>
      changeFile(rules, own, { names: splitPath(path, root.hidden), by, signal, decide: (current) => decide(current?.bytes) }),
    async readOwn(name) {
      const handle = await root.fs.open(own.folder.at(name), openFlags.read).catch(ignoring("ENOENT"))
      if (handle === undefined) return undefined
      try {
        return new TextDecoder().decode((await readBytes(handle, `${ownName}/${name}`, { maxBytes: maxOwnBytes })).bytes)
      } finally {
        await closeQuietly(handle)
      }
    },
    async writeOwn(name, text) {
      const temporary = own.folder.at(`${name}.tmp`)
      if (await statIfThere(root.fs, temporary)) await removeIfThere(root.fs, temporary)
      await writeNewFile(root.fs, own.folder, { name: `${name}.tmp`, bytes: new TextEncoder().encode(text), mode: 0o600 })
      await root.fs.rename(temporary, own.folder.at(name))
      await own.folder.sync()
    },
    async dropHistory(path) {
      for (const file of await historyFiles(root, own.history)) {
        const entry = await readEntry(root, own.history, file)
        if (entry === undefined || samePath(entry.record.path, path)) await removeIfThere(root.fs, own.history.at(file.name))
      }
      await own.history.sync()
    },
  }
}
