import type { Dialect, DialectSource } from "./dialect.ts"
import { createPromptLibrary, type PromptLibrary } from "./prompt-library.ts"
import type { PromptSource } from "./prompt-source.ts"
import { shippedPrompts } from "./shipped-prompts.ts"

let made: PromptLibrary | undefined

function library(): PromptLibrary {
  made ??= createPromptLibrary(shippedPrompts())
  return made
}

/** The names of the shipped dialects. */
export function shippedDialectNames(): readonly string[] {
  return library().dialects
}

/**
 * A shipped dialect, compiled on first use. A missing locale falls back to one of the same language, to `en`, then to
 * `zh-CN`; an unknown name is an error with code `prompt-missing`.
 */
export function shippedDialect(name: string, locale: string): Dialect {
  return library().dialect(name, locale)
}

/** A shipped dialect's files, not compiled: lay a user's over them with `overlayDialect`, then `compileDialect`. */
export function shippedDialectFiles(name: string, locale: string): Required<DialectSource> {
  return library().files(name, locale)
}

/** A shipped file by its path, such as `characters/fay.md`. */
export function shippedPrompt(path: string): PromptSource | undefined {
  return library().find(path)
}
