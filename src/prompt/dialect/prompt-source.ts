/** A prompt file that is not compiled yet. */
export interface PromptSource {
  /** The path for sources and errors, with `/`: relative to `prompts/` for a shipped file, as given for a user's file. */
  readonly path: string
  /** The front matter. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The text after the front matter. */
  readonly body: string
  /** The line of the file on which the body begins. */
  readonly firstLine: number
}

/** The name of a file in its dialect: `planner` for `fay/en/planner.md`. */
export function promptName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")
}

/** True for a file that a dialect compiles. Other files, such as `.txt`, can be loaded by `file_load`. */
export function isPrompt(path: string): boolean {
  return path.endsWith(".md")
}

/** The names of files that make requests of their own. A folder that has one of them in a locale is a dialect. */
export const promptKinds: readonly string[] = ["planner", "final", "chat"]
