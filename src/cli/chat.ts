import { createAgent } from "../agent/agent.ts"
import type { Ask } from "./ask.ts"
import { chatInteractive } from "./chat-interactive.ts"
import { chatPiped } from "./chat-piped.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { exitCodeOf } from "./exit-codes.ts"
import { createJsonPrinter } from "./json-lines.ts"
import { openMcp, withMcp } from "./open-mcp.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore, type StoreOptions } from "./open-store.ts"
import { portsFor } from "./ports-for.ts"
import { createEventPrinter } from "./print-events.ts"
import { terminalConfirm } from "./terminal-confirm.ts"
import { terminalText } from "./terminal-text.ts"
import { type Shown, showTurn, type TurnPrinter } from "./turn-printer.ts"
import { watchRequests } from "./watch-requests.ts"
import { type Words, wordsFor } from "./words.ts"
import { storeWords } from "./words-store.ts"

/** What the conversation at a terminal is called. */
export const conversation = "terminal"

/** What `chat` was asked for. */
export interface ChatOptions extends CommonOptions, StoreOptions {
  /** One question instead of a conversation. */
  readonly once?: string
  readonly json: boolean
  readonly show: readonly Shown[]
}

/** Talks: one question, every line of a pipe, or a terminal until it is left. Resolves to the exit code. */
export async function chat(options: ChatOptions, context: CliContext): Promise<number> {
  const { io, screen, interrupts } = context
  const profile = await openProfile(options, io)
  const words = wordsFor(profile.locale)
  const { model, demo } = context.chooseModel(profile, io.env)
  const mode = options.once !== undefined ? "once" : io.stdin.isTTY === true ? "interactive" : "piped"
  const printer = printerFor(options, context, { words, label: mode === "interactive" ? profile.agent.name : undefined })
  const confirmation = terminalConfirm(context, words)
  const canAsk = io.stdin.isTTY === true && !options.json
  const store = await openCliStore(options, context)
  const ports = await portsFor(profile, context)
  const mcp = await openMcp(profile, options, context)
  const agent = await withMcp(mcp, (plugins) =>
    createAgent({
      profile,
      plugins,
      ...(store ? { store } : {}),
      ...(canAsk ? { confirm: confirmation.confirm } : {}),
      model: watchRequests(model, printer.request),
      onWarning: ({ message }) => screen.note(screen.paint("dim", terminalText(message))),
      ports,
    }),
  )
  const session = agent.session(conversation)
  const ask: Ask = (text) => {
    const turn = session.send(text)
    interrupts.running(turn)
    return showTurn(turn, printer)
  }
  const before = mode === "interactive" ? await store?.load(session.key, { last: 0 }) : undefined
  if (before && before.earlier > 0) screen.note(screen.paint("dim", storeWords(profile.locale).goesOn(before.earlier)))
  if (demo) screen.note(screen.paint("dim", words.demo))
  const talk = async (): Promise<number> => {
    if (options.once !== undefined) return exitCodeOf(await ask(options.once))
    if (mode === "piped") return chatPiped(ask, context, words)
    const shown = { you: words.you, hint: words.hint(profile.agent.name) }
    return chatInteractive(ask, context, { words: shown, confirmation })
  }
  const code = await talk()
  // What hooks do after the last turn comes to its end, and plugins free what they hold.
  await agent.close()
  return code
}

function printerFor(
  { json, show }: ChatOptions,
  { io, screen }: CliContext,
  { words, label }: { readonly words: Words; readonly label: string | undefined },
): TurnPrinter {
  if (json) return createJsonPrinter(io.stdout, show)
  return createEventPrinter(screen, { words, show, ...(label === undefined ? {} : { label }) })
}
