/** One import of a source file: a statement, a re-export, or an `import()`. */
export interface ImportFound {
  readonly specifier: string
  /** Erased at run time: `import type` and `export type … from`. */
  readonly typeOnly: boolean
  /** An `import()` call; `topLevel` when it runs as the module loads. */
  readonly dynamic: boolean
  readonly topLevel: boolean
  readonly line: number
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[^"'`;=()]*?\sfrom\s+)?["']([^"'\n]+)["']/gm
const call = /(?<![\w.$])import\(\s*["']([^"'\n]+)["']/g

/** Every import of a source text that Biome formats: statements begin in the first column, and comments do not. */
export function importsOf(text: string): ImportFound[] {
  const found: ImportFound[] = []
  for (const match of text.matchAll(statement)) {
    found.push({
      specifier: match[2] ?? "",
      typeOnly: match[1] !== undefined,
      dynamic: false,
      topLevel: true,
      line: lineAt(text, match.index),
    })
  }
  for (const match of text.matchAll(call)) {
    const lineText = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index)
    if (/^\s*(?:\/\/|\*|\/\*)/.test(lineText)) continue
    found.push({
      specifier: match[1] ?? "",
      typeOnly: false,
      dynamic: true,
      topLevel: /^\S/.test(lineText) && !/=>|function/.test(lineText),
      line: lineAt(text, match.index),
    })
  }
  return found
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}
