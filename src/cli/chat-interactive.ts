import { createInterface, type Interface } from "node:readline"
import type { Ask } from "./ask.ts"
import type { CliContext } from "./context.ts"
import { createEcho, type Echo } from "./echo.ts"
import { exitCodes } from "./exit-codes.ts"
import type { Question, TerminalConfirm } from "./terminal-confirm.ts"

/** What is said around the conversation. */
export interface InteractiveWords {
  /** Stands before what the user types. */
  readonly you: string
  /** Stands once at the beginning. */
  readonly hint: string
}

/** What the conversation gives to others. */
export interface InteractiveParts {
  readonly words: InteractiveWords
  /** Is told to ask by this terminal. */
  readonly confirmation: TerminalConfirm
}

/**
 * A conversation at a terminal, until Ctrl-D (0) or Ctrl-C (130). What is typed while an answer comes is kept: whole lines
 * are asked next, a line begun stands after the next prompt.
 */
export async function chatInteractive(
  ask: Ask,
  { io, screen, interrupts }: CliContext,
  { words, confirmation }: InteractiveParts,
): Promise<number> {
  const prompt = screen.paint("bold", `${words.you}: `)
  const echo = createEcho(screen.aside)
  const editor = createInterface({ input: io.stdin, output: echo.stream, terminal: screen.aside.isTTY === true, prompt })
  // At a raw terminal Ctrl-C is a key, not a signal.
  editor.on("SIGINT", interrupts.press)
  void interrupts.left.then(() => editor.close())
  const lines = watchLines(editor, echo)
  confirmation.askBy((question, signal) => askBetween(editor, echo, { question, signal }))
  screen.note(screen.paint("dim", words.hint))
  editor.prompt()
  for await (const line of editor) {
    if (lines.take() === "unseen") screen.note(`${prompt}${line}`)
    if (line.trim() !== "") await ask(line)
    if (lines.waiting() || lines.closed()) continue
    echo.silent = false
    editor.prompt(true)
  }
  // The shell's prompt does not stand behind ours.
  if (!echo.silent) screen.note("")
  return exitCodes.ok
}

/** A question while an answer comes. A line that was begun before it was shown is no answer to it, and waits for the next prompt. */
function askBetween(
  editor: Interface,
  echo: Echo,
  { question, signal }: { readonly question: string; readonly signal: AbortSignal },
): ReturnType<Question> {
  const begun = editor.line
  let closed = false
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    editor.once("close", () => {
      closed = true
      resolve("")
    })
    editor.write(null, { ctrl: true, name: "e" })
    editor.write(null, { ctrl: true, name: "u" })
    echo.silent = false
    editor.question(question, { signal }, resolve)
  }).finally(() => {
    echo.silent = true
    if (!closed) editor.write(begun)
  })
}

/**
 * From the end of a line to the next prompt nothing that is typed is shown, as it would mix with the answer: lines that
 * are finished meanwhile are unseen.
 */
function watchLines(editor: Interface, echo: Echo) {
  const finished: ("seen" | "unseen")[] = []
  let closed = false
  editor.on("line", () => {
    finished.push(echo.silent ? "unseen" : "seen")
    echo.silent = true
  })
  editor.on("close", () => {
    closed = true
  })
  return { take: () => finished.shift(), waiting: () => finished.length > 0, closed: () => closed }
}
