import { PromptStrataError } from "../../../core/errors.ts"
import { hostPorts } from "../../../core/ports.ts"
import { displayPath } from "../../../node/shipped-files.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import type { CliContext } from "../context.ts"
import { exitCodes } from "../io.ts"
import { conversationName, latestConversation, openProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import type { CommonOptions, StoreOptions } from "../options.ts"
import { storeWords } from "../words/store-words.ts"
import { storeTurns, turnsOf } from "./chat-turns.ts"
import { readTavernChat } from "./tavern-chat.ts"

export interface ChatImport extends CommonOptions, StoreOptions {
  readonly file: string
  readonly text: string
  /** Default: the next conversation of `promptstrata chat`. */
  readonly conversation?: string | undefined
}

/** Makes a conversation of a chat of SillyTavern, and says what was not taken. No conversation is changed. Resolves to the exit code. */
export async function importChat({ file, text, conversation, ...options }: ChatImport, context: CliContext): Promise<number> {
  const { screen, translate, ports = {} } = context
  const { clock = hostPorts.clock, ids = hostPorts.ids } = ports
  const chat = readTavernChat(text, { file: displayPath(file), nowMs: clock.nowMs() })
  if (chat.messages.length === 0)
    throw new PromptStrataError("usage", `expected a chat with words in it at ${displayPath(file)}, found none.`, {
      hint: "Nothing was imported.",
    })
  const profile = await openProfile(options, context)
  const store = await openCliStore(options, context)
  if (store === undefined) {
    screen.complain(storeWords(profile.locale).storeOff)
    return exitCodes.failed
  }
  const agent = { id: profile.agent.id, name: profile.agent.name }
  const isOther = chat.characterName !== "" && chat.characterName.toLowerCase() !== agent.name.toLowerCase()
  if (isOther && options.profile === undefined)
    throw new PromptStrataError(
      "usage",
      `expected the profile of ${JSON.stringify(chat.characterName)}, whose chat it is, found that of ${JSON.stringify(agent.name)}.`,
      { hint: "Name the profile with --profile. Nothing was written." },
    )
  const newest = await latestConversation(store, agent.id)
  const isNew =
    (await store.load({ agent: agent.id, conversation: conversationName(newest), audience: "private" }, { last: 0 })) ===
    undefined
  const name = conversation ?? conversationName(isNew ? newest : newest + 1)
  const key = { agent: agent.id, conversation: name, audience: "private" } as const
  if ((await store.load(key, { last: 0 })) !== undefined)
    throw new PromptStrataError("usage", `expected a new conversation, found ${JSON.stringify(name)} in the store.`, {
      hint: "Give another name with --conversation. Nothing was written.",
    })
  const people = { agent, user: { id: terminalUser, name: chat.userName || profile.user.name } }
  const { turns, report } = turnsOf(chat, people, () => ids.next("turn"))
  await storeTurns(store, key, turns)
  const left = [...chat.report, ...report]
  screen.note(
    [
      `A chat of SillyTavern: ${chat.messages.length} messages are the conversation ${name} of ${agent.name} now.`,
      ...(conversation === undefined ? ["`promptstrata chat` goes on with it."] : []),
      "Swipes are the alternatives of an answer. No memories were made of what was said.",
      ...(left.length === 0 ? [] : ["Not taken:", ...left.map((what) => `  ${translate(what)}`)]),
    ]
      .map((line) => terminalLine(translate(line)))
      .join("\n"),
  )
  return exitCodes.ok
}
