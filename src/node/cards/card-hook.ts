import { mulberry32 } from "../../core/mulberry.ts"
import { isText } from "../../core/value.ts"
import type { BeforeTurnContext, SetAsideContext, TurnHook } from "../../memory/services/turn-hook.ts"
import type { Card } from "../../prompt/layers/card/card.ts"
import { cardInjections } from "../../prompt/layers/card/card-injections.ts"
import { type RunScripts, type ScriptPlace, scriptWork } from "../../prompt/layers/card/card-scripts.ts"
import { type FilledText, fillMacros, type MacroValues } from "../../prompt/layers/card/macros.ts"
import { loreMemory, loreOnBranch } from "../../prompt/layers/lorebook/lore-memory.ts"
import type { LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import { enterLore, type LoreSource, loreSource } from "./lore-turn.ts"

interface CardLook extends LoreLook {
  /** The names of the slots of the dialect's files. */
  readonly slots: ReadonlySet<string>
  /** The name of the user in fixed texts of a group. */
  readonly anyUser: string
  /** Runs the card's regex scripts on what the model reads. */
  readonly run: RunScripts
  /** The words of the persona, for a user. */
  readonly personaFor: (user: string) => string
}

/**
 * The hook of a card: it puts personality, scenario, example dialogues and the lore that the conversation mentions into each turn. One
 * prompt has one `{{user}}` (C33): in private the profile's, else the speaker; in a group the speaker in lore, and nobody in particular in
 * the other texts (L1). Since when lore is in, and the greeting, are kept with the session while its memory is on (C17).
 */
export function cardHook(card: Card, { slots, anyUser, personaFor, run, ...look }: CardLook): TurnHook {
  const { book = { entries: [] }, note } = card
  // The note has no part in the book's number of tokens.
  const notes = note === undefined ? [] : [loreSource("note", { entries: [note] }, look.lore)]
  const sources = [...(book.entries.length === 0 ? [] : [loreSource("card", book, look.lore)]), ...notes]
  const hook = loreHook("card", sources, { ...look, run, tags: card.tags, cardName: card.name })
  return {
    ...hook,
    beforeTurn(context) {
      const { key, speaker, stack } = context
      const user = look.userName ?? (key.audience === "private" ? speaker.name : anyUser)
      const fill = fillerOf(context, look, user)
      const [own, text, standing] = [personaFor(anyUser), personaFor(user), stack.get("persona")]
      // A persona that the program put in place of the card's stays.
      if (text !== own && standing && isText(standing.content) && standing.content.text === own)
        stack.add({ ...standing, content: { ...standing.content, text }, scope: "turn", stability: "session" })
      for (const injection of cardInjections({ card, slots, fill })) stack.add(injection)
      showChanged(context, changerOf(context, run, fill))
      return hook.beforeTurn?.(context)
    },
  }
}

/** The facts that the texts of lorebooks depend on beside the turn. */
export interface LoreLook {
  /** The character's name, for `{{char}}`. Default: the agent's. */
  readonly name?: string
  readonly locale: string
  /** Default: the host's. */
  readonly timeZone?: string | undefined
  /** The name of the user in a private conversation. Default: the speaker's. */
  readonly userName?: string | undefined
  readonly lore: LoreSettings
  readonly tags?: readonly string[]
  /** Runs regex scripts on entries. */
  readonly run?: RunScripts | undefined
  /** The card's greetings as a conversation with a user shows them. */
  readonly greetingsFor?: ((user?: string) => readonly string[]) | undefined
  /** The name for which entries ask that are meant for some characters. Default: the agent's. */
  readonly cardName?: string
}

/** The hook that puts entries of lorebooks into each turn, and goes back with the history to what it kept. */
export function loreHook(name: string, sources: readonly LoreSource[], look: LoreLook): TurnHook {
  const { lore: settings, tags = [], greetingsFor } = look
  return {
    name,
    beforeTurn(context) {
      const user = (context.key.audience === "private" && look.userName) || context.speaker.name
      const fill = fillerOf(context, look, user)
      const variable = context.key.audience === "private" ? context.stack.get("user_name") : undefined
      if (variable && variable.content !== user && look.userName === undefined)
        context.stack.add({ ...variable, content: user, trust: "user", scope: "turn", stability: "session" })
      const [first] = context.history
      const at =
        first?.role === "assistant"
          ? Math.max(...[user, undefined].map((name) => greetingsFor?.(name).indexOf(first.text) ?? -1))
          : -1
      const greeting = at < 0 ? undefined : at
      enterLore(sources, { context, settings, fill, greeting, character: { name: look.cardName ?? context.agentName, tags } })
    },
    setAside({ turns, back, state }: SetAsideContext) {
      const memory = loreMemory(state)
      const ids = back.map(({ turnId }) => turnId)
      return memory && loreOnBranch(memory, { gone: new Set(turns.map(({ turnId }) => turnId)), back: ids })
    },
  }
}

type Change = (text: string, place: ScriptPlace, depth?: number) => string

/** Runs scripts on what the model reads in a turn, within one bound of work. */
function changerOf({ warn }: BeforeTurnContext, run: RunScripts, fill: (text: string) => FilledText): Change {
  const occasion = { to: "model", work: scriptWork(), fill: (text: string) => fill(text).text, warn } as const
  return (text, place, depth) => run(text, { ...occasion, place, depth })
}

/** Shows the model what scripts make of the question and of the history, the newest first. The question never becomes empty. */
function showChanged({ history, question, wake, replaceWords, replaceAnswer }: BeforeTurnContext, change: Change): void {
  const asked = wake === undefined ? 1 : 0
  const words = asked ? change(question, "user", 0) : ""
  if (words !== question && words.trim() !== "") replaceWords(undefined, words)
  for (const [back, { role, text, turnId }] of history.toReversed().entries()) {
    const other = change(text, role === "assistant" ? "assistant" : "user", back + asked)
    if (other !== text) (role === "assistant" ? replaceAnswer : replaceWords)(turnId, other)
  }
}

/** Fills in macros for a turn, and runs scripts on what comes out. Each text is filled once, so that its chance comes out the same in all steps. */
function fillerOf(context: BeforeTurnContext, look: LoreLook, user: string): (text: string) => FilledText {
  const values = valuesOf(context, look, user)
  const change = look.run && changerOf(context, look.run, (text) => fillMacros(text, values))
  const filled = new Map<string, FilledText>()
  return (text) => {
    let known = filled.get(text)
    if (known) return known
    known = fillMacros(text, values)
    if (change) known = { ...known, text: change(known.text, "lore") }
    filled.set(text, known)
    return known
  }
}

function valuesOf(context: BeforeTurnContext, look: LoreLook, user: string): MacroValues {
  const { history, startedMs, turnId, key } = context
  const last = history.at(-1)
  const { name = context.agentName, locale, timeZone } = look
  return {
    char: name,
    user,
    lastMessage: last?.text,
    nowMs: startedMs,
    idleMs: last === undefined ? undefined : Math.max(0, startedMs - last.atMs),
    locale,
    timeZone,
    random: mulberry32(turnId),
    pick: (place) => mulberry32(`${key.conversation} ${place}`)(),
  }
}
