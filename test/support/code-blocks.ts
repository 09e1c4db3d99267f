/** A fenced block of a Markdown file. */
export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** The 1-based line of its first line of code. */
  readonly line: number
  /** True when `<!-- run -->` stands before it. */
  readonly run: boolean
  /** The file name that is the heading above it, for the first block below such a heading. */
  readonly file?: string | undefined
}

/** The fenced blocks of a Markdown text, in order. */
export function codeBlocksIn(markdown: string): CodeBlock[] {
  const lines = markdown.split("\n")
  const blocks: CodeBlock[] = []
  let mark = false
  let file: string | undefined
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ""
    const opening = /^(`{3,})(\w*)\s*$/.exec(line)
    if (opening) {
      const end = lines.indexOf(opening[1] ?? "", i + 1)
      if (end < 0) throw new Error(`line ${i + 1}: this block is not closed`)
      blocks.push({ language: opening[2] ?? "", text: lines.slice(i + 1, end).join("\n"), line: i + 2, run: mark, file })
      i = end
      mark = false
      file = undefined
    } else if (line.startsWith("#")) file = /^#+ ([\w-]+\.\w+)$/.exec(line)?.[1]
    else if (line.trim() !== "") mark = line.trim() === "<!-- run -->"
  }
  return blocks
}

/** The blocks to run, each with what it prints: the text block that follows. */
export function runsIn(blocks: readonly CodeBlock[]): { code: CodeBlock; prints: string }[] {
  return blocks.flatMap((code, i) => {
    if (!code.run) return []
    const next = blocks[i + 1]
    if (next?.language !== "text")
      throw new Error(`line ${code.line}: a block to run is followed by a text block with what it prints`)
    return [{ code, prints: next.text }]
  })
}
