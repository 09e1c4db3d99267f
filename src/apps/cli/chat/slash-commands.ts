import { didYouMean } from "../../../core/suggest.ts"
import { exitCodes } from "../io.ts"
import type { ChatWords } from "../words/chat-words.ts"

/** Works that a chat's commands ask for. Each resolves to the text that is shown. */
export interface ChatActions {
  /** Begins a new conversation. */
  begin(): Promise<string>
  /** The prompt for a question; for the last one if it is empty. */
  prompt(question: string): Promise<string>
  /** The newest memories. */
  memory(): Promise<string>
  /** Answers the oldest call that waits for a person, and shows how its turn goes on. */
  answer(approved: boolean, reason: string): Promise<{ readonly text: string; readonly code: number }>
}

/** The outcome of a command. */
export interface CommandOutcome {
  readonly command: string
  readonly text: string
  readonly code: number
  /** True if the chat ends. */
  readonly leaves: boolean
}

/**
 * Runs a line that is a command: one that begins with `/` and a word. Undefined for any other line, such as a path or a line that
 * begins with a space: it is for the character. A command that does not exist is never for the character.
 */
export async function runChatCommand(
  line: string,
  actions: ChatActions,
  { commands, unknownCommand }: Pick<ChatWords, "commands" | "unknownCommand">,
): Promise<CommandOutcome | undefined> {
  const [, command, argument = ""] = /^(\/\p{L}[\p{L}\p{N}_-]*)(?:\s+(.*))?$/su.exec(line) ?? []
  if (command === undefined) return undefined
  const done = (text: string) => ({ command, text, code: exitCodes.ok, leaves: false })
  switch (command) {
    case "/help":
      return done(
        Object.entries(commands)
          .map(([name, words]) => `${name.padEnd(10)} ${words}`)
          .join("\n"),
      )
    case "/exit":
      return { ...done(""), leaves: true }
    case "/new":
      return done(await actions.begin())
    case "/prompt":
      return done(await actions.prompt(argument.trim()))
    case "/memory":
      return done(await actions.memory())
    case "/approve":
    case "/deny":
      return { ...done(""), ...(await actions.answer(command === "/approve", argument.trim())) }
    default:
      return { ...done(`${unknownCommand(command)}${didYouMean(command, Object.keys(commands))}`), code: exitCodes.failed }
  }
}
