import type { Confirm } from "../tools/tool.ts"
import { askLine } from "./ask-line.ts"
import type { CliContext } from "./context.ts"
import { oneLine, terminalText } from "./terminal-text.ts"
import type { Words } from "./words.ts"

/** Puts a question to whoever sits at the terminal; rejects when the signal aborts. */
export type Question = (prompt: string, signal: AbortSignal) => Promise<string>

/** How a chat asks before a tool does something that cannot be taken for granted. */
export interface TerminalConfirm {
  readonly confirm: Confirm
  /** Asks by this from now on, such as by the editor in which the conversation is typed. */
  askBy(question: Question): void
}

const maxLines = 60

/** Shows what would be done and takes yes for an answer, and nothing else. Until told how to ask, it reads a line of its own. */
export function terminalConfirm(context: CliContext, words: Words): TerminalConfirm {
  const { screen } = context
  let question: Question = (prompt, signal) => askLine(context, prompt, signal)
  return {
    askBy(other) {
      question = other
    },
    async confirm({ tool, summary, detail = "" }, signal) {
      // What the turn said so far is on its way to the screen.
      await new Promise((resolve) => setImmediate(resolve))
      screen.note(screen.paint("yellow", `? ${words.asks(oneLine(tool), oneLine(summary))}`))
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
