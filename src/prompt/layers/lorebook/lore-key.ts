import type { LoreKey } from "./lorebook.ts"

/** Reads a key as authors write it: `/…/flags` is a pattern (C13), anything else plain words. */
export function readLoreKey(text: string): LoreKey {
  const [, source, flags = ""] = /^\/(.+)\/([a-z]*)$/s.exec(text.trim()) ?? []
  return source === undefined ? text : { source, flags }
}
