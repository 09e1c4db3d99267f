import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** A package that an example installed. */
export function examplePackage<T>(folder: string, name: string): Promise<T> {
  return import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href)
}
