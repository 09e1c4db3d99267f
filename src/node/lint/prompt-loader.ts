import { overlayLoader } from "../../dialect/overlay.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped-prompts.ts"
import { sourceLoader } from "../../dialect/source-loader.ts"
import type { TemplateLoader } from "../../template/parse.ts"
import type { PromptPlace } from "./prompt-files.ts"

/** A loader for one file, and the files that it brought, as messages show them. */
export interface RecordingLoader {
  readonly load: TemplateLoader
  readonly loads: ReadonlySet<string>
}

/** A folder's own files and the shipped ones behind them. */
interface Loaders {
  readonly own: TemplateLoader
  readonly shipped: TemplateLoader
}

/**
 * Follows `file_load` for the files of a prompts folder that were read already. `files` go by their paths in the folder, `shownAs`
 * is the folder as sources name it. What it lacks is sought among the shipped files.
 */
export function folderLoader(files: readonly PromptSource[], shownAs: string): (place: PromptPlace) => RecordingLoader {
  // One for each dialect and locale: making one takes a look at every file.
  const made = new Map<string, Loaders>()
  return ({ folder, locale }) => {
    const key = locale === undefined ? "" : `${folder}/${locale}`
    const folders = locale === undefined ? [""] : [key, `shared/${locale}`, ""]
    const loaders = made.get(key) ?? { own: sourceLoader(files, folders), shipped: sourceLoader(shippedPrompts(), folders) }
    made.set(key, loaders)
    const loads = new Set<string>()
    return { load: overlayLoader(loaders.shipped, inside(loaders.own, shownAs, loads)), loads }
  }
}

/** Sources name files as people read them, the loader by their paths in the folder. */
function inside(load: TemplateLoader, shownAs: string, loads: Set<string>): TemplateLoader {
  const prefix = shownAs === "" ? "" : `${shownAs}/`
  return (path, from) => {
    const file = from.file.startsWith(prefix) ? from.file.slice(prefix.length) : from.file
    const loaded = load(path, { ...from, file })
    const shown = prefix + loaded.file
    loads.add(shown)
    return { ...loaded, file: shown }
  }
}
