import type { Readable, Writable } from "node:stream"
import { styleText } from "node:util"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { escapeUnits } from "../../prompt/encode/inline.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import { wrapColumns } from "../../trace/table.ts"
import type { TurnResult } from "../../trace/turn-event.ts"

/** A stream that may be a terminal. */
type InputStream = Readable & { readonly isTTY?: boolean }

/** A stream that may be a terminal. A terminal knows its width. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** The columns of a stream that is a terminal. Undefined for a pipe, whose lines may be of any width. */
export function columnsOf({ isTTY, columns }: OutputStream): number | undefined {
  return isTTY === true && columns ? columns : undefined
}

/** Breaks lines of prose that a terminal has no room for between words, and sets their rest two columns further in. */
export function fitLines(text: string, stream: OutputStream): string {
  return wrapColumns(text, columnsOf(stream), 2)
}

/** Streams, environment and signals of the process. */
export interface CliIo {
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Calls `listener` on every SIGINT until the returned function is called. */
  onInterrupt(listener: () => void): () => void
  /** The same for SIGTERM, and for SIGHUP, the end of a terminal. Without a listener they end the process. */
  onTerminate?(listener: () => void): () => void
}

/** A style, or a colour such as `#1D75B3`. */
type Look = "dim" | "bold" | "red" | "yellow" | "cyan" | `#${string}`

/** Styles a text, or returns it unchanged if colours are off. */
export type Paint = (look: Look, text: string) => string

/** Colours for a stream: off with `NO_COLOR`, on with `FORCE_COLOR`, else on for a terminal that is not `dumb`. */
export function painterFor(stream: OutputStream, env: CliIo["env"]): Paint {
  const on = hasColours(stream, env)
  return (look, text) => (on ? styled(look, text) : text)
}

function styled(look: Look, text: string): string {
  if (!isColour(look)) return styleText(look, text, { validateStream: false })
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(look.slice(at, at + 2), 16))
  return `\u001b[38;2;${red};${green};${blue}m${text}\u001b[39m`
}

function isColour(look: Look): look is `#${string}` {
  return look.startsWith("#")
}

function hasColours(stream: OutputStream, { NO_COLOR, FORCE_COLOR, TERM }: CliIo["env"]): boolean {
  if (isSet(NO_COLOR)) return false
  if (isSet(FORCE_COLOR)) return FORCE_COLOR !== "0"
  return stream.isTTY === true && TERM !== "dumb"
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ""
}

/** Writes the answer to stdout. Notes go to stdout if it is a terminal, else to stderr, so that a pipe gets only answers. */
export interface Screen {
  /** The stream for notes. */
  readonly aside: OutputStream
  readonly paint: Paint
  /** Writes a part of an answer. The text must be safe for a terminal. */
  answer(text: string): void
  /** Ends an unfinished line of an answer. */
  endLine(): void
  /** Writes whole lines that are no part of an answer. The text must be safe for a terminal. */
  note(text: string): void
  /** Writes an error to stderr. */
  complain(text: string): void
}

/** Creates the screen for the streams of a process. `errorMark` stands before each error. */
export function createScreen({ stdout, stderr, env }: Pick<CliIo, "stdout" | "stderr" | "env">, errorMark = "error: "): Screen {
  const aside = stdout.isTTY === true ? stdout : stderr
  const paintError = painterFor(stderr, env)
  let inLine = false
  const screen: Screen = {
    aside,
    paint: painterFor(aside, env),
    answer(text) {
      if (text === "") return
      stdout.write(text)
      inLine = !text.endsWith("\n")
    },
    endLine() {
      if (inLine) stdout.write("\n")
      inLine = false
    },
    note(text) {
      if (aside === stdout) screen.endLine()
      aside.write(`${fitLines(text, aside)}\n`)
    },
    complain(text) {
      screen.endLine()
      stderr.write(`${fitLines(`${paintError("red", errorMark)}${terminalText(text)}`, stderr)}\n`)
    },
  }
  return screen
}

/** Valid in JSON, but unsafe for a terminal or a reader of lines: DEL, C1 controls, other line breaks, bidi controls, tags. */
const unfit = /[\u{7f}-\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu

/** Plain data as one line of JSON that is safe to print. An error becomes its code, message and evidence. */
export function jsonLine(data: unknown): string {
  const text = JSON.stringify(data, (_, value: unknown) => (value instanceof Error ? errorJson(value) : value))
  return printableJson(text)
}

/** A line of JSON with the same value that is safe to print. */
export function printableJson(json: string): string {
  return json.replace(unfit, escapeUnits)
}

/** An error as data. An error that is not the library's own gets the code `internal`. */
function errorJson(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!PromptStrataError.isInstance(thrown)) return { code: "internal", message: messageOf(thrown) }
  const { code, message, source, frame, hint, evidence } = thrown
  return { code, message, source, frame: frame || undefined, hint: hint || undefined, evidence }
}

/** Exit codes of the program. The help lists them. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** The exit code for a turn. Only Ctrl-C aborts one here. */
export function exitCodeOf(result: TurnResult): number {
  if (result.ok) return exitCodes.ok
  return result.error.code === "aborted" ? exitCodes.interrupted : exitCodes.failed
}

/** The exit code for an error outside a turn. */
export function exitCodeOfError(thrown: unknown): number {
  return PromptStrataError.isInstance(thrown) && thrown.code === "usage" ? exitCodes.usage : exitCodes.failed
}
