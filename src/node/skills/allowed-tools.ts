/**
 * The tools in an `allowed-tools`: a list, or one text in which spaces or commas part them. What stands in parentheses belongs to
 * its tool: `Bash(git add:*), Read` are two. `undefined` for anything else.
 */
export function readAllowedTools(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return splitTools(/^\[.*\]$/s.test(value.trim()) ? value.trim().slice(1, -1) : value)
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return undefined
  return value.map((item) => item.trim()).filter((item) => item !== "")
}

function splitTools(text: string): string[] {
  const tools: string[] = []
  let tool = ""
  let depth = 0
  for (const character of text) {
    if (depth === 0 && /[\s,]/.test(character)) {
      if (tool !== "") tools.push(tool)
      tool = ""
      continue
    }
    if (character === "(") depth++
    if (character === ")") depth = Math.max(0, depth - 1)
    tool += character
  }
  // A parenthesis that never closes swallowed the rest, so the words are parted where they can be.
  if (depth > 0) return [...tools, ...tool.split(/[\s,]+/).filter((word) => word !== "")]
  return tool === "" ? tools : [...tools, tool]
}
