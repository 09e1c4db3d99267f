import { basename, extname, isAbsolute, win32 } from "node:path"

/** True for what is looked up as a file: `./mood.mjs`, `../mood.mjs`, an absolute path of any system. */
export function isPluginPath(name: string): boolean {
  return /^\.{1,2}[\\/]/.test(name) || isAbsolute(name) || win32.isAbsolute(name)
}

/** The names under which a plugin's options can stand: as it is enabled, and a path's file name without its ending. */
export function optionNames(enabled: string): string[] {
  if (!isPluginPath(enabled)) return [enabled]
  const file = basename(win32.basename(enabled))
  return [enabled, file.slice(0, file.length - extname(file).length)]
}

type Options = Readonly<Record<string, unknown>>

/** A plugin's own options, a copy; `{}` where there are none. */
export function pluginOptions(enabled: string, all: Readonly<Record<string, Options>>): Options {
  const name = optionNames(enabled).find((candidate) => Object.hasOwn(all, candidate))
  // Copied, as TOML's tables have no prototype and modules expect ordinary objects.
  return structuredClone(name === undefined ? {} : (all[name] ?? {}))
}
