const lineLength = 230

/** JSON in which everything that fits stands in one line. */
export function printShort(value: unknown, indent = ""): string {
  const line = JSON.stringify(value) ?? "undefined"
  if (typeof value !== "object" || value === null || indent.length + line.length <= lineLength) return line
  const inner = `${indent}  `
  const rows = Array.isArray(value)
    ? value.map((item) => printShort(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${JSON.stringify(key)}: ${printShort(item, inner)}`)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return `${open}\n${rows.map((row) => inner + row).join(",\n")}\n${indent}${close}`
}
