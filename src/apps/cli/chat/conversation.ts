import type { DatabaseStore } from "../../../adapters/stores/database-store.ts"
import { messageOf } from "../../../core/errors.ts"
import type { LanguageModel } from "../../../core/model/language-model.ts"
import type { Assembly } from "../../../core/span.ts"
import { didYouMean } from "../../../core/suggest.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import { commandList, runCommand } from "../../../loop/agent/second-thoughts/chat-commands.ts"
import type { Session } from "../../../loop/agent/session.ts"
import type { Turn } from "../../../loop/agent/turn.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { CliContext } from "../context.ts"
import { columnsOf, exitCodeOf, exitCodes, jsonLine } from "../io.ts"
import { memoryTable } from "../memory/print-memories.ts"
import { conversationName, firstPrompt, latestConversation, terminalUser } from "../open-agent.ts"
import { printPrompt } from "../print-prompt.ts"
import { type ChatWords, chatWords, storeWords } from "../words/command-words.ts"
import { showTurn, type TurnPrinter } from "./turn-printer.ts"

/** Everything that a conversation is held with. */
interface ConversationParts {
  readonly agent: Agent
  readonly profile: Profile
  readonly model: LanguageModel
  readonly store: DatabaseStore | undefined
  readonly printer: TurnPrinter
  /** Shows the output of commands as lines of JSON. */
  readonly json: boolean
}

/** The outcome of a line: the exit code, and whether the chat ends. */
export interface TakenLine {
  readonly code: number
  readonly leaves: boolean
}

/** A conversation that goes on where the last one ended. */
interface Conversation {
  /** The number of messages before this chat. */
  readonly earlier: number
  /** Says the character's first message if the conversation is new and the character has one. Returns it. */
  greet(): Promise<string | undefined>
  /** Runs a line that is a command, and says any other to the character. */
  take(line: string): Promise<TakenLine>
}

/** Opens the newest conversation of a profile's agent in its store. */
export async function openConversation(parts: ConversationParts, context: CliContext): Promise<Conversation> {
  const { agent, profile, model, store, printer, json } = parts
  const { io, screen, interrupts, translate } = context
  const words = chatWords(profile.locale)
  let number = await latestConversation(store, profile.agent.id)
  let session: Session = agent.session(conversationName(number))
  let asked = words.exampleQuestion
  let request: Assembly | undefined
  const show = async (turn: Turn): Promise<number> => {
    interrupts.running(turn)
    const result = await showTurn(turn, printer)
    request = result.trace.steps.at(-1)?.assembly
    return exitCodeOf(result)
  }
  const greet = () => session.greet({ from: { id: terminalUser } })
  const actions: ChatActions = {
    async begin() {
      session = agent.session(conversationName(++number))
      request = undefined
      // What was said is judged now, so that the new conversation recalls it.
      void agent.idle().catch((thrown: unknown) => screen.complain(translate(messageOf(thrown))))
      const greeting = await greet()
      const begun = words.newConversation(session.key.conversation)
      return greeting === undefined ? begun : `${begun}\n\n${profile.agent.name}: ${greeting}`
    },
    async prompt(question) {
      const options = { from: { id: terminalUser }, prompt: firstPrompt(profile, model.capabilities) }
      return printPrompt((!question && request) || (await session.preview(question || asked, options)), screen.paint, translate)
    },
    async memory() {
      if (store === undefined) return words.nothingKept
      // What was said last may not be a memory yet.
      await agent.idle()
      return memoryTable({ store, profile, words: storeWords(profile.locale), maxWidth: columnsOf(screen.aside) })
    },
    async answer(approved, reason) {
      const waiting = (await session.approvals()).find((each) => each.answer === undefined)
      if (waiting === undefined) return { text: words.nothingWaits, code: exitCodes.failed }
      return { text: "", code: await show(approved ? session.approve(waiting.id) : session.deny(waiting.id, reason)) }
    },
    shared: commandList(profile.locale).filter(({ command }) => command !== "start" && !(`/${command}` in words.commands)),
    async other(line) {
      const chat = { session, from: { id: terminalUser }, locale: profile.locale, mayChange: true }
      const outcome = await runCommand(line, chat)
      if (outcome === undefined || "text" in outcome) return outcome && { ...outcome, code: exitCodes.ok }
      return { text: "", code: await show(outcome.turn) }
    },
  }
  return {
    greet,
    earlier: (await store?.load(session.key, { last: 0 }))?.earlier ?? 0,
    async take(line) {
      const outcome = await runChatCommand(line, actions, words)
      if (outcome === undefined) {
        asked = line
        return { code: await show(session.send(line, { from: { id: terminalUser } })), leaves: false }
      }
      const { command, text } = outcome
      if (json) io.stdout.write(`${jsonLine({ type: "command", command, text })}\n`)
      else if (text !== "") screen.note(text)
      return outcome
    },
  }
}

/** Works that a chat's commands ask for. Each resolves to the text that is shown. */
interface ChatActions {
  /** Begins a new conversation. */
  begin(): Promise<string>
  /** The prompt for a question; if it is empty, the last request that was sent. */
  prompt(question: string): Promise<string>
  /** The newest memories. */
  memory(): Promise<string>
  /** Answers the oldest call that waits for a person, and shows how its turn goes on. */
  answer(approved: boolean, reason: string): Promise<{ readonly text: string; readonly code: number }>
  /** The commands that every chat has, beside those of the terminal. */
  readonly shared: ReturnType<typeof commandList>
  /** Runs one of those. Undefined for another command. */
  other(line: string): Promise<{ readonly text: string; readonly code: number } | undefined>
}

/** The outcome of a command. */
interface CommandOutcome extends TakenLine {
  readonly command: string
  readonly text: string
}

/**
 * Runs a line that is a command: one that begins with `/` and a word. Undefined for any other line, such as a path or a line that
 * begins with a space: it is for the character. A command that does not exist is never for the character.
 */
async function runChatCommand(
  line: string,
  actions: ChatActions,
  { commands, unknownCommand }: Pick<ChatWords, "commands" | "unknownCommand">,
): Promise<CommandOutcome | undefined> {
  const [, command, argument = ""] = /^(\/\p{L}[\p{L}\p{N}_-]*)(?:\s+(.*))?$/su.exec(line) ?? []
  if (command === undefined) return undefined
  const done = (text: string) => ({ command, text, code: exitCodes.ok, leaves: false })
  const all = [...Object.entries(commands), ...actions.shared.map((one) => [`/${one.command}`, one.description] as const)]
  switch (command) {
    case "/help":
      return done(all.map(([name, words]) => `${name.padEnd(11)} ${words}`).join("\n"))
    case "/exit":
      return { ...done(""), leaves: true }
    case "/new":
      return done(await actions.begin())
    case "/prompt":
      return done(await actions.prompt(argument.trim()))
    case "/memory":
      return argument.trim() === "" ? done(await actions.memory()) : { ...done(""), ...(await actions.other(line)) }
    case "/approve":
    case "/deny":
      return { ...done(""), ...(await actions.answer(command === "/approve", argument.trim())) }
    default: {
      const names = all.map(([name]) => name)
      const outcome = names.includes(command) ? await actions.other(line) : undefined
      const unknown = { text: `${unknownCommand(command)}${didYouMean(command, names)}`, code: exitCodes.failed }
      return { ...done(""), ...(outcome ?? unknown) }
    }
  }
}
