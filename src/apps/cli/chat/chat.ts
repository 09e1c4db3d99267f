import { createInterface } from "node:readline"
import { type Command, InvalidArgumentError, Option } from "commander"
import { PromptStrataError } from "../../../core/errors.ts"
import type { LanguageModel } from "../../../core/model/language-model.ts"
import type { Assembly } from "../../../core/span.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import type { AgentOptions } from "../../../loop/agent/agent-options.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { seedSoul } from "../../../node/living-documents.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import { type CliContext, notesOn, type RunCommand, runWithProfile } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import {
  type CharacterOptions,
  conversationName,
  hasEarlierDefault,
  latestConversation,
  modelsFor,
  openAgent,
  openMcp,
  openProfile,
  openWatchedProfile,
} from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { type CommonOptions, readCount, type StoreOptions } from "../options.ts"
import { servePage } from "../serve/inspect.ts"
import type { Original } from "../serve/make-variant.ts"
import { readPrices } from "../serve/read-prices.ts"
import { terminalConfirm } from "../terminal-confirm.ts"
import { type ChatWords, chatWords, serveWords, storeWords } from "../words/command-words.ts"
import { openConversation, type TakenLine } from "./conversation.ts"
import { createEventPrinter } from "./event-printer.ts"
import { chatInteractive } from "./interactive.ts"
import { createJsonPrinter, type ExtraOutput } from "./turn-printer.ts"
import { createWakePrinter } from "./wake-printer.ts"
import { createWarningTally } from "./warning-tally.ts"

interface ChatOptions extends CommonOptions, CharacterOptions, StoreOptions {
  /** One question instead of a conversation. */
  readonly once?: string
  readonly json?: boolean
  readonly show: readonly ExtraOutput[]
  /** Also serve the page that shows what is sent. */
  readonly inspect?: boolean
  readonly prices?: string
}

/** Adds the command `chat`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("chat")
    .description("Talk to a character. The answer is shown as it is written, and every tool call as it happens.")
    .option("--once <question>", "ask one question, print the answer and end")
    .addOption(
      new Option("--show <what>", "also print every prompt with its sources (prompt), or each turn's trace (trace); repeatable")
        .argParser(readShown)
        .default([], "neither"),
    )
    .option("--greeting <number>", "the greeting with which a character card begins (default: 1)", readCount)
    .option("--user <name>", "your name for the character (default: the profile's)")
    .option("--json", "print events as lines of JSON")
    .option("--inspect", "while the chat runs, show what is sent on a page; its address is printed")
    .option("--prices <file>", "with --inspect: a JSON file with the prices of models; inspect --help shows one")
  runWithProfile(command, run, chat, { store: "optional" })
}

function readShown(value: string, previous: readonly ExtraOutput[]): readonly ExtraOutput[] {
  if (value !== "prompt" && value !== "trace") throw new InvalidArgumentError("Allowed choices are prompt, trace.")
  return previous.includes(value) ? previous : [...previous, value]
}

/** Asks one question, every line of a pipe, or whatever is typed at a terminal. Resolves to the exit code. */
async function chat(options: ChatOptions, context: CliContext): Promise<number> {
  const { io, screen, interrupts, translate } = context
  io.onTerminate?.(() => interrupts.leave(exitCodes.interrupted))
  const page = options.inspect || options.prices !== undefined ? await openPage(options, context) : undefined
  const profile = page?.source.profile ?? (await openProfile(options, context))
  const words = chatWords(profile.locale)
  const { model, models } = modelsFor(profile, context)
  const isTerminal = io.stdin.isTTY === true
  const isInteractive = isTerminal && options.once === undefined
  const { json = false, show } = options
  const label = isInteractive ? profile.agent.name : undefined
  const warnings = createWarningTally(translate)
  const note = notesOn(context)
  const { colour } = profile.agent
  const printer = json
    ? createJsonPrinter(io.stdout, show)
    : createEventPrinter(screen, { words, show, label, colour, warnings, translate })
  const confirmation = terminalConfirm(context, words)
  const store = await openCliStore(options, context)
  const onWarning: AgentOptions["onWarning"] = ({ message }) => warnings.first(message).forEach(note)
  const soul = await seedSoul(profile)
  if (soul !== undefined) note(`Made ${soul}: it is to say who ${profile.agent.name} is.`)
  const waking = createWakePrinter(printer)
  const servers = page && (await openMcp(profile, options, context))
  const agent = await openAgent(
    {
      profile,
      source: page?.source,
      servers,
      model: watchRequests(model, printer.request),
      models,
      store,
      confirm: isTerminal && !options.json ? confirmation.confirm : undefined,
      onWarning,
      ...(options.once === undefined ? { onWake: waking.onWake } : {}),
    },
    options,
    context,
  )
  await page?.serve(agent, { store, onWarning, servers, options })
  const { earlier, greet, ...conversation } = await openConversation({ agent, profile, model, store, printer, json }, context)
  const take = (line: string): Promise<TakenLine> => waking.inTurn(() => conversation.take(line))
  if (isInteractive && earlier > 0) note(storeWords(profile.locale).continues(earlier))
  if (store && (await hasEarlierDefault(store, profile, options))) note(storeWords(profile.locale).earlierDefault)
  const greeting = options.once === undefined ? await greet() : undefined
  if (greeting !== undefined)
    io.stdout.write(json ? `${jsonLine({ type: "greeting", text: greeting })}\n` : `${terminalText(greeting)}\n`)
  const code =
    options.once !== undefined
      ? (await take(options.once)).code
      : isInteractive
        ? await chatInteractive(take, context, { you: words.you, hint: words.hint(profile.agent.name), confirmation, waking })
        : await chatPiped(take, context, words)
  // Waits for the hooks of the last turn, and closes the plugins.
  await agent.close()
  const again = warnings.repeated()
  for (const { message, times } of again) note(words.again(times, message))
  if (again.length > 0) note(words.everyWarning)
  return code
}

/**
 * Takes every line of stdin that is not blank, in one conversation. After a failed turn or an unknown command the next line is
 * taken, and the exit code is 1. Ctrl-C ends all.
 */
async function chatPiped(
  take: (line: string) => Promise<TakenLine>,
  { io, screen, interrupts }: CliContext,
  words: ChatWords,
): Promise<number> {
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  void interrupts.left.then(() => lines.close())
  let code: number = exitCodes.ok
  let asked = false
  for await (const line of lines) {
    if (line.trim() === "") continue
    asked = true
    const taken = await take(line)
    if (taken.code === exitCodes.interrupted) return taken.code
    code = Math.max(code, taken.code)
    if (taken.leaves) break
  }
  if (!asked) screen.note(words.nothingAsked)
  return code
}

/** Reads everything that the page of `--inspect` needs, on which the profile's files can be edited. Throws `usage` for prices without it. */
async function openPage(options: ChatOptions, context: CliContext) {
  const { screen, atEnd } = context
  if (!options.inspect)
    throw new PromptStrataError("usage", "expected --inspect beside --prices, found none.", {
      hint: "Only its page shows money.",
    })
  const prices = readPrices(options.prices)
  const source = await openWatchedProfile(options, context)
  return {
    source,
    /** Serves it until the program ends, and prints its address. */
    async serve(agent: Agent, original: Original & { readonly store?: Store | undefined }): Promise<void> {
      const { id } = source.profile.agent
      const conversation = conversationName(await latestConversation(original.store, id))
      const server = await servePage(agent, { source, conversation, original, prices, context })
      atEnd(() => server.close())
      screen.note(serveWords(source.profile.locale).shownAt(server.url))
    },
  }
}

/** Calls `onRequest` before each request of a turn. Background requests are not reported. */
function watchRequests(model: LanguageModel, onRequest: (assembly: Assembly) => void): LanguageModel {
  return {
    id: model.id,
    capabilities: model.capabilities,
    stream(request, options) {
      if (request.assembly && request.facts?.background !== true) onRequest(request.assembly)
      return model.stream(request, options)
    },
  }
}
