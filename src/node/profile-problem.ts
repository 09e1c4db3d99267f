import { invariant, PromptStrataError } from "../core/errors.ts"
import { codeFrame, formatSource, positionAt, type Source } from "../core/source.ts"

/** Something wrong in a profile's file. `message` is a sentence; `offset` is where its key stands, in UTF-16 units. */
export interface ProfileProblem {
  readonly offset: number
  readonly message: string
  /** Lines that go below the place, such as where a file was looked for. */
  readonly note?: string
}

/** A profile's file, for messages about it. */
export interface ProblemPlace {
  readonly file: string
  readonly text: string
}

/** How many problems are printed; the rest are counted. */
const maxShown = 20

/** One error `profile` for all problems, each with its place and a caret, in the order of the files and in their order in the file. */
export function problemsError(
  found: readonly (ProblemPlace & { readonly problems: readonly ProfileProblem[] })[],
): PromptStrataError {
  const all = found.flatMap(({ problems, ...place }) =>
    problems.toSorted((a, b) => a.offset - b.offset).map((problem) => ({ ...problem, place })),
  )
  const shown = all.slice(0, maxShown).map(({ offset, message, note, place }) => {
    const position = positionAt(place.text, offset)
    const frame = [codeFrame(place.text, position), ...(note === undefined ? [] : [note])].join("\n")
    return { source: { file: place.file, ...position } satisfies Source, message, frame }
  })
  const [first, ...others] = shown
  invariant(first, "an error about a profile has a problem")
  const blocks = [first.frame, ...others.map(({ source, message, frame }) => `${formatSource(source)}: ${message}\n${frame}`)]
  if (all.length > shown.length) blocks.push(`… and ${all.length - shown.length} more.`)
  return new PromptStrataError("profile", first.message, {
    source: first.source,
    frame: blocks.join("\n"),
    evidence: { count: all.length, problems: shown.map(({ source, message }) => ({ source, message })) },
  })
}

/** `prestart[0].args."a b"`: a path as one would write it. */
export function formatKeyPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${formatKey(String(key))}`))
    .join("")
}

function formatKey(key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key
  return /^[A-Za-z0-9_-]+$/.test(shown) ? shown : JSON.stringify(shown)
}
