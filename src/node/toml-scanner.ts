import { parse } from "smol-toml"

/** A place in a TOML text that the scanning functions move on. */
export interface TomlScanner {
  readonly text: string
  at: number
}

/** One part of a dotted key and where it begins. */
export interface KeyPart {
  readonly name: string
  readonly offset: number
}

/** Moves past spaces, line breaks and comments. */
export function skipVoid(scanner: TomlScanner): void {
  for (;;) {
    skipAny(scanner, " \t\r\n")
    if (scanner.text[scanner.at] !== "#") return
    scanner.at = endOfLine(scanner)
  }
}

/** Reads `a . "b".c`; ends before `=` or `]`. Empty where no key stands. */
export function readKey(scanner: TomlScanner): KeyPart[] {
  const parts: KeyPart[] = []
  for (;;) {
    skipAny(scanner, " \t")
    const offset = scanner.at
    const name = isQuote(scanner.text[offset]) ? readQuoted(scanner) : readBare(scanner)
    if (scanner.at === offset) return parts
    parts.push({ name, offset })
    skipAny(scanner, " \t")
    if (scanner.text[scanner.at] !== ".") return parts
    scanner.at++
  }
}

/** Moves past a value that is neither an array nor an inline table. */
export function skipScalar(scanner: TomlScanner): void {
  const { text, at } = scanner
  const quote = text[at]
  if (!isQuote(quote)) {
    while (scanner.at < text.length && !",]}#\n".includes(text[scanner.at] ?? "")) scanner.at++
  } else if (text.startsWith(quote.repeat(3), at)) {
    scanner.at += 3
    skipToClosing(scanner, quote.repeat(3))
    // A multi-line string may end in up to two quotes of its own.
    for (let extra = 0; extra < 2 && text[scanner.at] === quote; extra++) scanner.at++
  } else {
    scanner.at++
    skipToClosing(scanner, quote)
  }
}

function readBare(scanner: TomlScanner): string {
  const start = scanner.at
  while (/[A-Za-z0-9_-]/.test(scanner.text[scanner.at] ?? "")) scanner.at++
  return scanner.text.slice(start, scanner.at)
}

function readQuoted(scanner: TomlScanner): string {
  const start = scanner.at
  skipScalar(scanner)
  const raw = scanner.text.slice(start, scanner.at)
  return raw.includes("\\") && raw.startsWith('"') ? unescaped(raw) : raw.slice(1, -1)
}

function unescaped(quoted: string): string {
  try {
    return String(parse(`key = ${quoted}`).key)
  } catch {
    // Only in a text that is no TOML: any name will do.
    return quoted
  }
}

/** Moves past the next `closing`; a backslash hides the character after it where the quotes are double. */
function skipToClosing(scanner: TomlScanner, closing: string): void {
  const { text } = scanner
  const escapes = closing.startsWith('"')
  while (scanner.at < text.length && !text.startsWith(closing, scanner.at))
    scanner.at += escapes && text[scanner.at] === "\\" ? 2 : 1
  scanner.at = Math.min(text.length, scanner.at + closing.length)
}

function skipAny(scanner: TomlScanner, characters: string): void {
  while (scanner.at < scanner.text.length && characters.includes(scanner.text[scanner.at] ?? "")) scanner.at++
}

function endOfLine({ text, at }: TomlScanner): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

function isQuote(character: string | undefined): character is '"' | "'" {
  return character === '"' || character === "'"
}
