/**
 * Any string as text that every database keeps as it is: one with NUL or half a character, which databases refuse or replace, and
 * one that begins with a quotation mark become JSON. So two strings are never one row's key. {@link fromKeyText} is its inverse.
 */
export function keyText(value: string): string {
  return value.startsWith('"') || value.includes("\0") || !value.isWellFormed() ? JSON.stringify(value) : value
}

/** The string that {@link keyText} was given. */
export function fromKeyText(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
