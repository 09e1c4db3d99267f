import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import { entryPoints } from "./entry-points.ts"
import { root } from "./source-files.ts"

// Preloaded with --import: a program that imports the package by name gets its source, so that nothing has to be built first.
const sources = new Map(entryPoints().map(({ specifier, source }) => [specifier, pathToFileURL(root + source).href]))

registerHooks({
  resolve: (specifier, context, next) => next(sources.get(specifier) ?? specifier, context),
})
