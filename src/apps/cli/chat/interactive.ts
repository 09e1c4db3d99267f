import { createInterface, type Interface } from "node:readline"
import { Writable } from "node:stream"
import type { CliContext } from "../context.ts"
import { exitCodes, type OutputStream } from "../io.ts"
import type { AskTerminal, TerminalConfirm } from "../terminal-confirm.ts"
import type { WakePrinter } from "./wake-printer.ts"

/** Settings of {@link chatInteractive}. */
interface InteractiveOptions {
  /** The prompt before the user's input. */
  readonly you: string
  /** Printed once at the beginning. */
  readonly hint: string
  /** Set to ask through the editor of the conversation. */
  readonly confirmation: TerminalConfirm
  /** Set to show wakes above the editor's line. */
  readonly waking: Pick<WakePrinter, "showBy">
}

/**
 * Runs a conversation at a terminal until Ctrl-D (0), Ctrl-C (130) or a line after which `ask` says that it leaves. Input during an answer is kept: complete lines are asked
 * next, and an unfinished line is put after the next prompt.
 */
export async function chatInteractive(
  ask: (text: string) => Promise<{ readonly leaves: boolean }>,
  { io, screen, interrupts }: CliContext,
  { you, hint, confirmation, waking }: InteractiveOptions,
): Promise<number> {
  const prompt = screen.paint("bold", `${you}: `)
  const echo = createEcho(screen.aside)
  const editor = createInterface({ input: io.stdin, output: echo.stream, terminal: screen.aside.isTTY === true, prompt })
  // At a raw terminal Ctrl-C is a key, not a signal.
  editor.on("SIGINT", interrupts.press)
  void interrupts.left.then(() => editor.close())
  const lines = watchLines(editor, echo)
  const { closing } = lines
  confirmation.askBy((question, signal) =>
    askBetween(editor, echo, { question, signal: AbortSignal.any([signal, closing]), closing }),
  )
  waking.showBy(async (show) => {
    // Below the line that is being typed, which comes back after the answer.
    screen.note("")
    await show()
    editor.prompt(true)
  })
  screen.note(screen.paint("dim", hint))
  editor.prompt()
  for await (const line of editor) {
    if (lines.take() === "unseen") screen.note(`${prompt}${line}`)
    if (line.trim() !== "" && (await ask(line)).leaves) return exitCodes.ok
    if (lines.waiting() || closing.aborted) continue
    echo.silent = false
    editor.prompt(true)
  }
  // Ends the line of our prompt, so that the shell's prompt gets a line of its own.
  if (!echo.silent) screen.note("")
  return exitCodes.ok
}

/**
 * Asks a question during an answer. Rejects when the signal aborts. Input that was begun before the question is no answer to it; it is kept
 * for the next prompt.
 */
function askBetween(
  editor: Interface,
  echo: Echo,
  { question, signal, closing }: { readonly question: string; readonly signal: AbortSignal; readonly closing: AbortSignal },
): ReturnType<AskTerminal> {
  const begun = editor.line
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    editor.write(null, { ctrl: true, name: "e" })
    editor.write(null, { ctrl: true, name: "u" })
    echo.silent = false
    editor.question(question, { signal }, resolve)
  }).finally(() => {
    echo.silent = true
    if (!closing.aborted) editor.write(begun)
  })
}

/**
 * Silences the echo from the end of a line to the next prompt, because input would mix with the answer. Lines that are finished
 * meanwhile are `unseen`.
 */
function watchLines(editor: Interface, echo: Echo) {
  const finished: ("seen" | "unseen")[] = []
  const closing = new AbortController()
  editor.on("line", () => {
    finished.push(echo.silent ? "unseen" : "seen")
    echo.silent = true
  })
  editor.on("close", () => closing.abort())
  return { take: () => finished.shift(), waiting: () => finished.length > 0, closing: closing.signal }
}

/** The output of a line editor. It can be silenced while an answer is written to the terminal. */
interface Echo {
  readonly stream: Writable
  silent: boolean
}

function createEcho(target: OutputStream): Echo {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      if (!echo.silent) target.write(chunk)
      done()
    },
  })
  Object.defineProperty(stream, "columns", { get: () => target.columns })
  target.on("resize", () => stream.emit("resize"))
  const echo: Echo = { stream, silent: false }
  return echo
}
