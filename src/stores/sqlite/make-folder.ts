import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/**
 * Makes a folder and those above it that are missing, for their owner alone. Throws the system's error where one cannot be made.
 * Node's own `recursive` never ends where making a folder says that the one above it is missing although it is there, as in /proc.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let path = resolve(folder); !isThere(path); path = dirname(path)) missing.push(path)
  for (const path of missing.reverse()) makeOne(path)
}

/** A path's root is always there. */
function isThere(path: string): boolean {
  return dirname(path) === path || statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Another process may have made it meanwhile. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
