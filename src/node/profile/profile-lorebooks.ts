import { dirname, resolve } from "node:path"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import type { LorebookPlace } from "../cards/lorebook-file.ts"
import { fileExists, isFolder } from "../file-log.ts"
import { displayPath } from "../shipped-files.ts"
import { nearestSetting, type ProfileSearch, report } from "./profile-chain.ts"

/** The paths of the lorebooks that `[lorebook]` names. Reports those that are not there. */
export function findLorebooks(search: ProfileSearch): readonly string[] {
  const setting = nearestSetting(search.chain, "lorebook", "files")
  if (setting === undefined) return []
  const { document, value, path } = setting
  const paths = value.map((file) => resolve(dirname(document.path), file))
  for (const [at, file] of paths.entries()) {
    if (fileExists(file) || isFolder(file)) continue
    report(search, { document, path: [...path, at] }, `expected a lorebook, found none at ${displayPath(file)}.`)
  }
  return paths
}

/** Reads lorebooks as a plugin; none without files. */
export async function readLorebooks(
  paths: readonly string[],
  lore: LoreSettings,
  place: LorebookPlace,
): Promise<readonly Plugin[]> {
  return paths.length === 0 ? [] : [(await import("../cards/lorebook-file.ts")).lorebookPlugin(paths, lore, place)]
}
