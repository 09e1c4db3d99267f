/** Values by key: a text, or a mapping from keys to texts. */
type PlainMapping = Record<string, string | Record<string, string>>

const keyPattern = /^( {0,8})([A-Za-z][\w-]{0,99}):(?: (.*))?$/

/** A word or sentence that YAML reads unchanged. One that begins with a digit could be a number. */
const plainPattern = /^[A-Za-z\u4e00-\u9fff](?:[^:#\t\p{C}\p{Zl}\p{Zp}]|:(?=\S)|(?<=\S)#)*$/u

/** Words that YAML reads as another value than text. */
const reserved = /^(?:true|false|null)$/i

/**
 * Reads the simple YAML of most front matter, much faster than a YAML reader and with the same result: on each line a key and a
 * word, a sentence or a quoted text; below a key without a value, indented lines. `undefined` for any other YAML.
 */
export function readPlainYaml(yaml: string): PlainMapping | undefined {
  const mapping: PlainMapping = {}
  let inner: { readonly indent: number; readonly values: Record<string, string> } | undefined
  for (const line of yaml.split("\n")) {
    const [matched, { length: indent } = "", key = "", value] = keyPattern.exec(line) ?? []
    if (matched === undefined) return undefined
    if (indent === 0) {
      if (isEmptyMap(inner) || Object.hasOwn(mapping, key)) return undefined
      const text = value === undefined ? {} : textOf(value)
      if (text === undefined) return undefined
      mapping[key] = text
      inner = typeof text === "string" ? undefined : { indent: 0, values: text }
      continue
    }
    const text = value === undefined ? undefined : textOf(value)
    if (text === undefined || inner === undefined || Object.hasOwn(inner.values, key)) return undefined
    if (inner.indent !== 0 && inner.indent !== indent) return undefined
    inner.values[key] = text
    inner = { indent, values: inner.values }
  }
  return isEmptyMap(inner) ? undefined : mapping
}

/** True for a key with no value and no line below it: its value is null, which this reader leaves to the YAML reader. */
function isEmptyMap(inner: { readonly indent: number } | undefined): boolean {
  return inner?.indent === 0
}

function textOf(value: string): string | undefined {
  const quoted = /^"([^"\\\p{C}]*)"$/u.exec(value) ?? /^'([^'\p{C}]*)'$/u.exec(value)
  if (quoted) return quoted[1]
  const isPlain = plainPattern.test(value) && !reserved.test(value) && value === value.trimEnd()
  return isPlain ? value : undefined
}
