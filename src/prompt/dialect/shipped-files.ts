import { localesOf } from "./dialect-locale.ts"
import { chooseLocale } from "./locales.ts"
import type { PromptSource } from "./prompt-source.ts"
import { loadedWithDialects, readModule, shipped } from "./shipped.ts"
import { toolFolders } from "./shipped-prompts/tool-folders.ts"

/** The files of folders that were read, by the folder's name. */
const read = new Map<string, readonly PromptSource[]>()

loadedWithDialects.add(loadToolWords)

/** Loads the words of the shipped tools in a language and in English, for runtimes that cannot read a module synchronously. */
export async function loadToolWords(locale: string): Promise<void> {
  const chosen = chooseLocale(locale, localesOf(shipped.folders, "tools"))
  for (const folder of [`tools/${chosen}`, "tools/en"]) {
    const load = toolFolders[folder]
    if (load && !read.has(folder)) read.set(folder, (await load()).prompts)
  }
}

/**
 * Shipped files, in order of their paths: those of the folder `name`, such as `tools`, or all. With a locale only those of the one
 * that stands for it, since a program speaks one language.
 */
export function shippedPrompts(name?: string, locale?: string): readonly PromptSource[] {
  const { folders } = shipped
  const locales = name === undefined ? [] : localesOf(folders, name)
  const chosen = locale === undefined ? undefined : chooseLocale(locale, locales)
  const asked = name === undefined ? folders : locales.map((found) => `${name}/${found}`)
  return (chosen === undefined ? asked : [`${name}/${chosen}`]).flatMap(readFolder)
}

/** The files of a shipped folder, such as `tools/en`; none for one that is not shipped. */
export function readFolder(folder: string): readonly PromptSource[] {
  const before = read.get(folder)
  if (before) return before
  if (!shipped.folders.includes(folder)) return []
  const { prompts } = readModule<{ readonly prompts: readonly PromptSource[] }>(folder.replace("/", "."))
  read.set(folder, prompts)
  return prompts
}
