import { createInterface } from "node:readline"
import { terminalLine, terminalText } from "../../prompt/encode/terminal-text.ts"
import type { Confirm } from "../../prompt/tools/tool.ts"
import type { CliContext } from "./context.ts"
import type { ChatWords } from "./words/command-words.ts"

/** Asks a question at the terminal. Resolves to the answer; rejects when the signal aborts. */
export type AskTerminal = (prompt: string, signal: AbortSignal) => Promise<string>

/** Asks at the terminal before a tool does something that needs a confirmation. */
export interface TerminalConfirm {
  readonly confirm: Confirm
  /** From now on asks by this function, such as through the editor of a conversation. */
  askBy(question: AskTerminal): void
}

const maxLines = 60

/** Shows the action and asks for a yes; any other answer is no. Reads a line of its own until `askBy` is called. */
export function terminalConfirm(context: CliContext, words: ChatWords): TerminalConfirm {
  const { screen, translate } = context
  let question: AskTerminal = (prompt, signal) => askLine(context, prompt, signal)
  return {
    askBy(other) {
      question = other
    },
    async confirm({ tool, summary, detail = "" }, signal) {
      // Lets earlier output of the turn reach the screen first.
      await new Promise((resolve) => setImmediate(resolve))
      screen.note(screen.paint("yellow", `? ${words.asks(terminalLine(tool), terminalLine(translate(summary)))}`))
      if (detail !== "") screen.note(screen.paint("dim", firstLines(terminalText(detail))))
      const answer = await question(`${words.allow} `, signal).catch(() => "")
      return words.yes.includes(answer.trim().toLowerCase())
    },
  }
}

function firstLines(text: string): string {
  const lines = text.split("\n")
  return lines.length > maxLines ? [...lines.slice(0, maxLines), "…"].join("\n") : text
}

/** Asks a question outside a conversation and reads one line. Empty if the input ends; rejects when the signal aborts. */
export function askLine({ io, screen, interrupts }: CliContext, prompt: string, signal: AbortSignal): Promise<string> {
  const editor = createInterface({ input: io.stdin, output: screen.aside, terminal: screen.aside.isTTY === true })
  editor.on("SIGINT", interrupts.press)
  return new Promise<string>((resolve, reject) => {
    editor.on("close", () => resolve(""))
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    editor.question(prompt, { signal }, resolve)
  }).finally(() => editor.close())
}
