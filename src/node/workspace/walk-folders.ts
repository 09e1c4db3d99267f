import { fileError, isAbsent } from "./file-errors.ts"
import { type OpenFolder, openRootFolder } from "./open-folder.ts"
import { nameKey } from "./path-key.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** Where a folder holds more names than this, other spellings of one are not looked for and nothing is listed. */
const maxNamesInFolder = 100_000

/**
 * Opens the folder that `names` lead to, one name after the other and through no link; another spelling finds the folder that
 * is there. `undefined` where it is missing, unless `create` makes it.
 */
export async function walkFolders(
  root: WorkspaceRoot,
  names: readonly string[],
  { create = false }: { readonly create?: boolean } = {},
): Promise<OpenFolder | undefined> {
  let folder = await openRootFolder(root)
  for (const name of names) {
    const outer = folder
    try {
      const inner = await enter(root, outer, { name, create })
      if (!inner) return undefined
      folder = inner
    } finally {
      await outer.close()
    }
  }
  return folder
}

async function enter(
  root: WorkspaceRoot,
  folder: OpenFolder,
  { name, create }: { name: string; create: boolean },
): Promise<OpenFolder | undefined> {
  const spelled = await spellingOf(root, folder, name)
  if (spelled.found) return folder.enter(spelled.name)
  if (!create) return undefined
  await folder.check()
  await makeFolder(root, folder, spelled.name)
  return folder.enter(spelled.name)
}

/** Makes a folder that lasts; one that somebody else just made will do. */
export async function makeFolder(root: WorkspaceRoot, folder: OpenFolder, name: string, mode = 0o777): Promise<void> {
  try {
    await root.fs.makeFolder(folder.at(name), mode)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
  await folder.sync()
}

/**
 * How a name is spelled in a folder: as it is given, if that is there; as the one name there that only case, width, composition
 * or invisible characters set apart (D12); else as new files shall be. Several such names are `file-path`: none is guessed.
 */
export async function spellingOf(
  root: WorkspaceRoot,
  folder: OpenFolder,
  name: string,
): Promise<{ readonly name: string; readonly found: boolean }> {
  if (await isThere(root, folder.at(name))) return { name, found: true }
  const key = nameKey(name)
  const alike = (await namesIn(root, folder)).filter((other) => nameKey(other) === key)
  const path = [...folder.names, name].join("/")
  if (alike.length > 1) {
    throw fileError("file-path", path, `expected one file of that name, found ${alike.join(" and ")}.`, {
      evidence: { found: alike },
    })
  }
  const [found] = alike
  if (found !== undefined) return { name: found, found: true }
  const wanted = [...folder.names, name].map(nameKey).join("/")
  const known = root.names.find((one) => one.split("/").map(nameKey).join("/") === wanted)
  return { name: known?.split("/").at(-1) ?? name.normalize("NFC"), found: false }
}

/** Every name in a folder; throws `file-size` where there are too many. */
export async function namesIn(root: WorkspaceRoot, folder: OpenFolder): Promise<readonly string[]> {
  const names = await root.fs.readFolder(folder.at(), maxNamesInFolder + 1)
  if (names.length <= maxNamesInFolder) return names
  throw fileError(
    "file-size",
    folder.names.join("/") || ".",
    `expected at most ${maxNamesInFolder} names in a folder, found more.`,
  )
}

async function isThere(root: WorkspaceRoot, path: string): Promise<boolean> {
  try {
    await root.fs.stat(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}
