import { constants, lstatSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import type { FileSystem, OpenFile } from "../../../src/node/workspace/file-system.ts"
import type { Dice } from "../../support/dice.ts"

interface DiskFile {
  readonly kind: "file"
  bytes: Buffer
  /** The content that a loss of power cannot take away. */
  synced: Buffer
}

interface DiskFolder {
  readonly kind: "folder"
  readonly names: Map<string, DiskNode>
  readonly synced: Map<string, DiskNode>
  /** Changes of names that are not synced. One change, such as a rename, is made as a whole or not at all. */
  pending: (readonly (readonly [name: string, node: DiskNode | undefined])[])[]
}

type DiskNode = DiskFile | DiskFolder

/** Everything below a folder after a loss of power: the content of each file by its path; undefined for a folder. */
export type DiskImage = ReadonlyMap<string, Buffer | undefined>

/** A folder that remembers what was synced. */
export interface VirtualDisk {
  readonly fs: FileSystem
  /** The number of syncs so far. */
  syncs(): number
  /** What a loss of power at this moment can leave: all of it if there are no more than `limit` images, else that many by chance. */
  images(limit: number, dice: Dice): readonly DiskImage[]
}

/** What a disk does. */
export interface DiskHabits {
  /** Called after each change of the disk. */
  readonly onChange?: (disk: VirtualDisk) => void
  /** True for a sync, counted from 1, that the disk acknowledges and does not do. */
  readonly skipsSync?: (number: number) => boolean
}

/** A write takes no more than this in one call, so that power is also lost in the middle of a file. */
const largestWrite = 700

/** The real folder `root` as a disk. Nothing that it does not sync survives a loss of power for certain, in whatever order it was written. */
export function virtualDisk(inner: FileSystem, root: string, { onChange, skipsSync }: DiskHabits = {}): VirtualDisk {
  const tree = readFolder(root)
  const opened = new Map<number, string>()
  let syncs = 0

  /** The path below the root; of one that leads through a descriptor, too. */
  const placeOf = (path: string): string => {
    const [, number, rest = ""] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(path) ?? []
    const real = number === undefined ? path : opened.get(Number(number)) + rest
    const place = relative(root, real)
    if (place.startsWith("..")) throw new Error(`${path} is not on this disk`)
    return place
  }
  const folderOf = (path: string): readonly [DiskFolder, string] => {
    const folder = nodeAt(tree, dirname(placeOf(path)))
    if (folder?.kind !== "folder") throw new Error(`${path} is in no folder`)
    return [folder, basename(placeOf(path))]
  }
  const setNames = (...changes: readonly (readonly [path: string, node: DiskNode | undefined])[]): void => {
    const [folder] = folderOf(changes[0]?.[0] ?? "")
    const change = changes.map(([path, node]) => [folderOf(path)[1], node] as const)
    if (changes.some(([path]) => folderOf(path)[0] !== folder)) throw new Error("a change of two folders is not modelled")
    setAll(folder.names, change)
    folder.pending.push(change)
    onChange?.(disk)
  }
  const sync = (node: DiskNode | undefined): void => {
    syncs += 1
    if (node === undefined || skipsSync?.(syncs)) return
    if (node.kind === "file") node.synced = node.bytes
    else for (const change of node.pending.splice(0)) setAll(node.synced, change)
    onChange?.(disk)
  }

  async function open(path: string, flags: number, mode?: number): Promise<OpenFile> {
    const handle = await inner.open(path, flags, mode)
    const real = handle.descriptor
    const isInside = !relative(root, path).startsWith("..") || path.startsWith("/proc/")
    if (isInside) opened.set(real, join(root, placeOf(path)))
    if (flags & constants.O_CREAT) setNames([path, { kind: "file", bytes: Buffer.alloc(0), synced: Buffer.alloc(0) }])
    const node = isInside ? nodeAt(tree, placeOf(path)) : undefined
    return {
      ...handle,
      async write(source, offset) {
        const written = await handle.write(source.subarray(0, offset + largestWrite), offset)
        if (node?.kind !== "file") throw new Error(`${path} is no file`)
        node.bytes = Buffer.concat([node.bytes.subarray(0, offset), source.subarray(offset, offset + written)])
        onChange?.(disk)
        return written
      },
      sync: async () => sync(node),
      async close() {
        opened.delete(real)
        await handle.close()
      },
    }
  }

  const fs: FileSystem = {
    ...inner,
    open,
    async makeFolder(path, mode) {
      await inner.makeFolder(path, mode)
      setNames([path, { kind: "folder", names: new Map(), synced: new Map(), pending: [] }])
    },
    async link(path, name) {
      await inner.link(path, name)
      setNames([name, nodeAt(tree, placeOf(path))])
    },
    async rename(from, to) {
      await inner.rename(from, to)
      setNames([from, undefined], [to, nodeAt(tree, placeOf(from))])
    },
    async remove(path) {
      await inner.remove(path)
      setNames([path, undefined])
    },
  }
  const disk: VirtualDisk = { fs, syncs: () => syncs, images: (limit, dice) => imagesOf(tree, limit, dice) }
  return disk
}

function readFolder(path: string): DiskFolder {
  const names = new Map<string, DiskNode>()
  for (const name of readdirSync(path)) {
    const place = join(path, name)
    if (lstatSync(place).isDirectory()) names.set(name, readFolder(place))
    else {
      const bytes = readFileSync(place)
      names.set(name, { kind: "file", bytes, synced: bytes })
    }
  }
  return { kind: "folder", names, synced: new Map(names), pending: [] }
}

function nodeAt(tree: DiskFolder, place: string): DiskNode | undefined {
  let node: DiskNode | undefined = tree
  for (const name of place.split("/")) {
    if (name === "" || name === ".") continue
    node = node?.kind === "folder" ? node.names.get(name) : undefined
  }
  return node
}

function setAll(names: Map<string, DiskNode>, change: readonly (readonly [string, DiskNode | undefined])[]): void {
  for (const [name, node] of change) {
    if (node === undefined) names.delete(name)
    else names.set(name, node)
  }
}

/** Chooses a number from 0 below `options`. */
type Choose = (options: number) => number

/** What is left under these choices: which unsynced changes of names were made, and which blocks of unsynced files. */
function imageOf(folder: DiskFolder, choose: Choose, path = "", image = new Map<string, Buffer | undefined>()): DiskImage {
  const names = new Map(folder.synced)
  for (const change of folder.pending) if (choose(2) === 0) setAll(names, change)
  for (const [name, node] of names) {
    const place = path === "" ? name : `${path}/${name}`
    image.set(place, node.kind === "file" ? contentOf(node, choose) : undefined)
    if (node.kind === "folder") imageOf(node, choose, place, image)
  }
  return image
}

function contentOf({ bytes, synced }: DiskFile, choose: Choose): Buffer {
  if (bytes.equals(synced)) return bytes
  const half = bytes.length >> 1
  const variants = [
    bytes,
    synced,
    Buffer.alloc(bytes.length),
    bytes.subarray(0, half),
    Buffer.concat([bytes.subarray(0, half), Buffer.alloc(bytes.length - half)]),
    Buffer.concat([Buffer.alloc(half), bytes.subarray(half)]),
  ]
  return variants[choose(variants.length)] ?? bytes
}

function imagesOf(tree: DiskFolder, limit: number, dice: Dice): readonly DiskImage[] {
  const images: DiskImage[] = []
  // Counts through all choices: the last one that has options left takes its next option.
  let choices: { readonly options: number; readonly chosen: number }[] = []
  for (;;) {
    const made: { readonly options: number; readonly chosen: number }[] = []
    const next: Choose = (options) => {
      const chosen = choices[made.length]?.chosen ?? 0
      made.push({ options, chosen })
      return chosen
    }
    images.push(imageOf(tree, next))
    while (made.length > 0) {
      const { options, chosen } = made.pop() ?? { options: 0, chosen: 0 }
      if (chosen + 1 < options) {
        made.push({ options, chosen: chosen + 1 })
        break
      }
    }
    choices = made
    if (choices.length === 0) return images
    if (images.length >= limit) break
  }
  return Array.from({ length: limit }, () => imageOf(tree, (options) => dice.below(options)))
}
