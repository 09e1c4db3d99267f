import type { TemplateLoader } from "../template/parse.ts"
import type { DialectSource } from "./compile-dialect.ts"
import { dialectLocale, type PromptFolders, shared } from "./dialect-locale.ts"
import type { PromptSource } from "./prompt-source.ts"
import { folderOf, joinPath, overlayDialect, overlayLoader, sourceLoader } from "./source-loader.ts"

/** A library of prompt files: `DIALECT/LOCALE/*`, `shared/LOCALE/*`, and other folders. A folder is read when it is first needed. */
export interface PromptLibrary extends PromptFolders {
  /** Reads the files of a folder, such as `fay/en`. */
  read(folder: string): readonly PromptSource[]
}

/**
 * A dialect's files over the shared ones, not compiled. They are the base for a user's own files. The locale is chosen by
 * {@link dialectLocale}.
 */
export function dialectFiles(library: PromptLibrary, name: string, locale: string): Required<DialectSource> {
  const chosen = dialectLocale(library, name, locale)
  const [own, common] = [`${name}/${chosen}`, `${shared}/${chosen}`]
  const [ownFiles, commonFiles] = [library.read(own), library.read(common)]
  const load = overlayLoader(rootLoader(library), sourceLoader([...commonFiles, ...ownFiles], [own, common]))
  return { name, locale: chosen, files: overlayDialect(commonFiles, ownFiles), load }
}

/** Loads files of other folders by their whole path. Only then the folder is read. */
function rootLoader({ folders, read }: PromptLibrary): TemplateLoader {
  return (path, from) => {
    const places = [joinPath(folderOf(from.file), path), joinPath("", path)]
    const asked = folders.filter((folder) => places.some((place) => place?.startsWith(`${folder}/`)))
    return sourceLoader(asked.flatMap(read), [""])(path, from)
  }
}
