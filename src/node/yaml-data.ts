import { type Document, isMap, isScalar, parseDocument, visit } from "yaml"
import { locatedError, messageOf, PromptStrataError } from "../core/errors.ts"
import { positionAt } from "../core/source.ts"

/** Aliases of one anchor, counted as they multiply: more is a bomb. */
const maxAliasCount = 100

/** Where a piece of YAML stands in its file. */
export interface YamlPlace {
  readonly file: string
  /** The text of the whole file. */
  readonly whole: string
  /** Where the YAML begins in it, in UTF-16 units. */
  readonly offset: number
}

/** Reads a YAML 1.2 mapping as plain data: string keys, none twice, no tags, bounded aliases. All else is an error with code `front-matter`. */
export function readYamlMapping(yaml: string, place: YamlPlace): Record<string, unknown> {
  try {
    const document = parseDocument(yaml, {
      version: "1.2",
      schema: "core",
      resolveKnownTags: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: "error",
    })
    const [error] = document.errors
    if (error) throw fault(place, `expected YAML: ${error.message}`, { offset: error.pos[0], cause: error })
    if (document.contents === null) return {}
    const data: unknown = document.toJS({ maxAliasCount })
    if (!isMapping(document, data))
      throw fault(place, "expected the front matter to be a mapping (name: value), found something else.", {
        offset: document.contents.range?.[0] ?? 0,
        hint: "If the first line is a thematic break and no front matter, put a blank line before it.",
      })
    refuseProto(document, place)
    if (hasCycle(data)) throw fault(place, "expected plain data, found an alias inside its own anchor.", { offset: 0 })
    return data
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    throw fault(place, `expected YAML: ${messageOf(error)}`, { offset: 0, cause: error })
  }
}

function isMapping(document: Document.Parsed, data: unknown): data is Record<string, unknown> {
  return isMap(document.contents) && typeof data === "object" && data !== null
}

/** As a key of its own it does no harm here, but sets a prototype where somebody copies the data. */
function refuseProto(document: Document.Parsed, place: YamlPlace): void {
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === "__proto__")
        throw fault(place, "the key __proto__ is not allowed.", { offset: key.range?.[0] ?? 0 })
    },
  })
}

function hasCycle(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) return false
  return above.includes(value) || Object.values(value).some((inner) => hasCycle(inner, [...above, value]))
}

function fault(
  place: YamlPlace,
  message: string,
  details: { offset: number; hint?: string; cause?: unknown },
): PromptStrataError {
  const { offset, ...rest } = details
  const position = positionAt(place.whole, place.offset + offset)
  return locatedError("front-matter", message, { file: place.file, text: place.whole, position, ...rest })
}
