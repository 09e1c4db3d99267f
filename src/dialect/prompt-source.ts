/** A prompt file as it was read, not yet compiled. */
export interface PromptSource {
  /** The file's name in sources and errors: relative to `prompts/` for a shipped file, as it was given for a user's. Parts are joined by `/`. */
  readonly path: string
  /** The front matter. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** What follows the front matter. */
  readonly body: string
  /** The file's line on which the body begins. */
  readonly firstLine: number
}

/** `planner` for `fay/en/planner.md`: the name by which a dialect knows the file. */
export function promptName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")
}

/** True for a file that a dialect compiles; other files (`.txt`) are there to be loaded by `file_load`. */
export function isPrompt(path: string): boolean {
  return path.endsWith(".md")
}

/** Files of these names are prompts: each makes a request of its own. A folder with one of them in a locale is a dialect. */
export const promptKinds: readonly string[] = ["planner", "final", "chat"]
