import { constants } from "node:fs"

// Windows has no links to follow by accident, no pipes in folders and no terminals to be caught by: it knows none of these flags.
const noFollow = constants.O_NOFOLLOW ?? 0
const noBlock = constants.O_NONBLOCK ?? 0
const noTerminal = constants.O_NOCTTY ?? 0
const folderOnly = constants.O_DIRECTORY ?? 0

/** Flags for {@link FileSystem.open}. A pipe, a device or a link at the path's end neither hangs nor is followed. */
export const openFlags = {
  read: constants.O_RDONLY | noFollow | noBlock | noTerminal,
  /** What `/proc/self/fd` leads to is the open file itself, so that one link is followed. */
  readDescriptor: constants.O_RDONLY | noBlock | noTerminal,
  /** Fails where the file is read-only, before anything is done to it. */
  writeDescriptor: constants.O_RDWR | noBlock | noTerminal,
  readWrite: constants.O_RDWR | noFollow | noBlock | noTerminal,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
  folder: constants.O_RDONLY | folderOnly | noFollow | noBlock,
  noFollow,
} as const
