/** One entry of a page of requirements: a line that begins with `- **T5** `. */
interface RequirementEntry {
  readonly id: string
  readonly file: string
  readonly line: number
  /** True for one that is planned only. */
  readonly isLater: boolean
}

/** The entries of pages, in their order. */
export function requirementEntries(pages: ReadonlyMap<string, string>): RequirementEntry[] {
  return [...pages].flatMap(([file, text]) =>
    text.split("\n").flatMap((content, index) => {
      const [, id, later] = /^- \*\*([A-Z]\d+[a-z]?)\*\* (\*\(later\)\*)?/.exec(content) ?? []
      return id === undefined ? [] : [{ id, file, line: index + 1, isLater: later !== undefined }]
    }),
  )
}

/** Entries whose number has an entry already, as `file:line: T5 stands in file:line`. */
export function repeatedEntries(entries: readonly RequirementEntry[]): string[] {
  const first = new Map<string, RequirementEntry>()
  return entries.flatMap((entry) => {
    const before = first.get(entry.id)
    if (!before) first.set(entry.id, entry)
    return before ? [`${entry.file}:${entry.line}: ${entry.id} stands in ${before.file}:${before.line}`] : []
  })
}

/** Tags in texts that name no requirement, as `file:line: T5`. Only letters that have entries can make a tag. */
export function unknownTags(texts: ReadonlyMap<string, string>, entries: readonly RequirementEntry[]): string[] {
  const known = new Set(entries.map(({ id }) => id))
  const letters = [...new Set(entries.map(({ id }) => id.slice(0, 1)))].join("")
  if (letters === "") return []
  const tag = new RegExp(String.raw`(?<![\w-])[${letters}][1-9]\d*[a-z]?(?!\w)`, "g")
  return [...texts].flatMap(([file, text]) =>
    text
      .split("\n")
      .flatMap((content, index) =>
        [...content.matchAll(tag)].filter(([id]) => !known.has(id)).map(([id]) => `${file}:${index + 1}: ${id}`),
      ),
  )
}

/** Words that send a reader to a document which is not part of the repository. */
const pointers: readonly RegExp[] = [
  /\b(?:design|style|measurements)\.md\b/i,
  /(?:\bdesign,? )?(?<![\w.-])rules? \d/i,
  /\b(?:the|see|our) design(?: document\b|'s\b|,)/i,
  /\bthe (?:issue\b|seed(?:'s own| gives| says)\b|spec\b)/i,
  /(?<![\w/])(?:spec|seeds)\/[\w.]/,
]

/** Lines of texts that point to a document which is not in the repository, as `file:line: words`. */
export function strayPointers(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([file, text]) =>
    text.split("\n").flatMap((content, index) =>
      pointers.flatMap((pointer) => {
        const words = pointer.exec(content)?.[0]
        return words === undefined ? [] : [`${file}:${index + 1}: ${words}`]
      }),
    ),
  )
}
