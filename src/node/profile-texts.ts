import { dirname, resolve } from "node:path"
import { didYouMean } from "../core/suggest.ts"
import { isFolder } from "./file-log.ts"
import { findText, lookedFor, promptsFolderOf, type TextKind } from "./find-text.ts"
import { type ProfileSearch, promptSetting, report } from "./profile-search.ts"
import { displayPath } from "./shipped-files.ts"

/** Where the texts are that a profile names. */
export interface ProfileTexts {
  /** The user's prompts folder. */
  readonly folder?: string
  readonly persona?: string
  readonly format?: string
  readonly finalSystem?: string
}

/** Finds what `[prompt]` names, each path relative to the file it stands in, and reports what is not there (L9). */
export function findProfileTexts(search: ProfileSearch): ProfileTexts {
  const folder = findFolder(search)
  const persona = findPath(search, { key: "persona", kind: "characters", folder })
  const format = findPath(search, { key: "format", kind: "formats", folder })
  const finalSystem = findPath(search, { key: "final_system", kind: "final", folder })
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(persona === undefined ? {} : { persona }),
    ...(format === undefined ? {} : { format }),
    ...(finalSystem === undefined ? {} : { finalSystem }),
  }
}

function findFolder(search: ProfileSearch): string | undefined {
  const set = promptSetting(search, "folder")
  if (set === undefined) return undefined
  const { document, value } = set
  const folder = resolve(dirname(document.path), value)
  if (isFolder(folder)) return folder
  const message = `expected a folder of prompt files, found none at ${displayPath(folder)}.`
  report(search, { document, path: ["prompt", "folder"] }, { message })
  return undefined
}

interface Wanted {
  readonly key: "persona" | "format" | "final_system"
  readonly kind: TextKind
  readonly folder: string | undefined
}

function findPath(search: ProfileSearch, { key, kind, folder }: Wanted): string | undefined {
  const set = promptSetting(search, key)
  if (set === undefined) return undefined
  const { document, value } = set
  const promptFolders = [...(folder === undefined ? [] : [folder]), promptsFolderOf(document.path)]
  const found = findText(value, { kind, locale: search.locale, folder: dirname(document.path), promptFolders })
  if ("path" in found) return found.path
  const known = found.known.length > 0 ? ` Known: ${found.known.join(", ")}.` : ""
  const message = `expected a file, found none called ${JSON.stringify(value)}.${didYouMean(value, found.known) || known}`
  report(search, { document, path: ["prompt", key] }, { message, note: lookedFor(found.searched) })
  return undefined
}
