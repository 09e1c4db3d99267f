/** Values by key: text, or text by key one level deeper. */
export type PlainMapping = Record<string, string | Record<string, string>>

const keyPattern = /^( {0,8})([A-Za-z][\w-]{0,99}):(?: (.*))?$/

/** A word or sentence that YAML takes as it stands; digits first could be a number. */
const plainPattern = /^[A-Za-z\u4e00-\u9fff](?:[^:#\t\p{C}\p{Zl}\p{Zp}]|:(?=\S)|(?<=\S)#)*$/u

/** Words that YAML takes for something else than text. */
const reserved = /^(?:true|false|null)$/i

/**
 * Reads the YAML that most front matter is: a key and a word, sentence or quoted text on each line, indented lines below a key
 * without a value. `undefined` for anything more, which a YAML reader must read; it would read this just so, but slower.
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

/** A key that nothing stands below is null. */
function isEmptyMap(inner: { readonly indent: number } | undefined): boolean {
  return inner?.indent === 0
}

function textOf(value: string): string | undefined {
  const quoted = /^"([^"\\\p{C}]*)"$/u.exec(value) ?? /^'([^'\p{C}]*)'$/u.exec(value)
  if (quoted) return quoted[1]
  const isPlain = plainPattern.test(value) && !reserved.test(value) && value === value.trimEnd()
  return isPlain ? value : undefined
}
