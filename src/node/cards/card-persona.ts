import { dirname, join } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { mulberry32 } from "../../core/mulberry.ts"
import type { Clock } from "../../core/ports.ts"
import type { TrustedText } from "../../core/value.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { defaultUserName } from "../../profile/resolve.ts"
import { type Dialect, dialectNames } from "../../prompt/dialect/dialect.ts"
import { foldLetters } from "../../prompt/encode/fold.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import { sanitise } from "../../prompt/encode/sanitise.ts"
import type { Card } from "../../prompt/layers/card/card.ts"
import { systemSlot } from "../../prompt/layers/card/card-injections.ts"
import { acts, cardScripts, createScripts, scriptWork } from "../../prompt/layers/card/card-scripts.ts"
import { fillMacros } from "../../prompt/layers/card/macros.ts"
import { defaultLore, type LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import type { OutputFormat, OutputPart } from "../../reply/output/output-part.ts"
import { fileExists } from "../file-log.ts"
import { bytesAt } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { readCardOf } from "./card-file.ts"
import { isPartsPath, readCardFolder } from "./card-folder.ts"
import { cardHook, type LoreLook } from "./card-hook.ts"

/** The language, the user and the time, on which a card's texts depend. */
export interface CardSurroundings extends Pick<LoreLook, "locale" | "timeZone" | "userName"> {
  readonly clock: Clock
  /** The number of the greeting that conversations begin with. Default 1. */
  readonly greeting?: number | undefined
  readonly lore?: LoreSettings | undefined
  /** False if the card's regex scripts do not run. Default true. */
  readonly scripts?: boolean | undefined
  /** The dialect that prints the card. Without it the system prompt is a part of the persona. */
  readonly dialect?: Dialect | undefined
}

const maxBytes = 128 * 1024 * 1024

/** Reads the persona that is a card. Throws `file`, with the path, as `loadCard` does. */
export function readCardPersona(path: string, surroundings: CardSurroundings) {
  const file = displayPath(path)
  const folder = isPartsPath(path) ? dirname(path) : undefined
  const card = folder ? readCardFolder(folder) : readCardOf(path, bytesAt(path, file, { maxBytes, kind: "card" })).card
  const { text, ...persona } = cardPersona(card, surroundings, folder)
  return { ...persona, text: { ...text, source: { file, line: 1 } } }
}

/** A card as a persona, with its greetings and with what its prompts show of each turn. Its words are a stranger's, so they are encoded (C11). `folder` holds the assets of a card in files. */
export function cardPersona(card: Card, surroundings: CardSurroundings, folder?: string) {
  const { locale, userName, clock, timeZone, greeting = 1, lore = defaultLore, dialect } = surroundings
  const scripts = cardScripts(surroundings.scripts === false ? { json: {} } : card)
  const run = createScripts(scripts)
  const slots: ReadonlySet<string> = dialect === undefined ? new Set() : dialectNames(dialect).all
  const name = plainName(card.shownName) || plainName(card.name)
  const anyUser = userName ?? defaultUserName(locale)
  const nowMs = clock.nowMs()
  const pick = (place: string) => mulberry32(`${card.name} ${place}`)()
  // Chance depends on the card alone here, because this text stands at the beginning of all prompts.
  const fillFor = (user: string) => {
    const values = { char: name, user, nowMs, locale, timeZone, random: mulberry32(card.name), pick }
    return (text: string): string => fillMacros(text, values).text
  }
  const filled = (texts: readonly string[], user: string): readonly string[] =>
    texts.map(fillFor(user)).map((text) => text.trim())
  const shownTo = (user: string) => {
    const occasion = { place: "assistant", to: "people", depth: 0, work: scriptWork(), fill: fillFor(user) } as const
    return (text: string, warn: (message: string) => void): string => run(text, { ...occasion, warn })
  }
  const words = [slots.has(systemSlot) ? "" : card.systemPrompt, card.description]
  const personaFor = (user: string): string =>
    filled(words, user)
      .filter((part) => part !== "")
      .join("\n\n")
  const greetingsFor = (user = anyUser): readonly string[] => {
    const show = shownTo(user)
    // `card lint` tells what does not run.
    return filled([...card.greetings, ...card.groupGreetings], user).map((text) => show(text, () => undefined))
  }
  const greetings = greetingsFor()
  if (greeting > Math.max(1, greetings.length))
    throw new PromptStrataError("usage", `expected the number of a greeting from 1 to ${greetings.length}, found ${greeting}.`, {
      hint: "`promptstrata card show` prints the greetings with their numbers.",
    })
  const text: TrustedText = { text: personaFor(anyUser), trust: "tool", block: true }
  const plugin: Plugin = {
    name: "card",
    hooks: [cardHook(card, { name, userName, anyUser, locale, timeZone, lore, greetingsFor, personaFor, slots, run })],
    display: ({ name: listener, audience }) =>
      scripts.some((script) => acts(script, { place: "assistant", to: "people", depth: 0 }))
        ? displayFormat(shownTo(userName ?? (audience === "group" ? anyUser : listener)))
        : undefined,
    greetings: ({ name: listener, audience }) =>
      audience === "group" ? greetings : greetingsFor(userName ?? listener).slice(0, card.greetings.length),
  }
  return {
    text,
    name: name === "" ? undefined : name,
    greeting: greetings[greeting - 1] ?? "",
    /** All greetings: the first message, its alternatives, and those for groups. */
    greetings,
    /** A format whose emotions carry the card's assets for them. */
    withAssets: (format: OutputFormat) => withEmotionAssets(format, card, folder),
    plugin,
  }
}

/** A format that holds an answer back until it is whole, and changes it. */
function displayFormat(change: (text: string, warn: (message: string) => void) => string): OutputFormat {
  return {
    name: "card",
    createReader() {
      const pieces: string[] = []
      return {
        push(delta) {
          pieces.push(delta)
          return []
        },
        end() {
          const warnings: OutputPart[] = []
          const delta = change(pieces.join(""), (message) => warnings.push({ type: "warning", message }))
          return [{ type: "text", delta }, ...warnings]
        },
      }
    },
  }
}

/** Everything but letters, digits and the few marks that names have. A name stands in lines of prompt files that are not encoded. */
const unusual = lazyPattern(String.raw`[^\p{L}\p{M}\p{N} '’.・·\-]+`, "gu")

/** A card's name without characters that could be taken for a prompt's own. */
export function plainName(name: string): string {
  return onOneLine(sanitise(name.slice(0, 400)).text.replace(unusual(), " "))
    .slice(0, 60)
    .trim()
}

/**
 * A format whose emotions carry the asset of the card that shows them: the path of a file where the card is a folder that has it, else
 * what the card says, such as `embeded://assets/happy.png`. Those that have none carry the asset `neutral`, if there is one. Nothing is
 * read and nothing fetched (C12).
 */
function withEmotionAssets(format: OutputFormat, { assets }: Card, folder: string | undefined): OutputFormat {
  const named = assets.filter(({ type, name }) => type === "emotion" && name !== "")
  const shownBy = new Map(named.map(({ name, uri }) => [foldLetters(name.trim()), pathOf(uri, folder) ?? uri]))
  if (shownBy.size === 0) return format
  const displayed = (part: OutputPart): OutputPart => {
    const asset = part.type === "emotion" ? (shownBy.get(foldLetters(part.emotion.trim())) ?? shownBy.get("neutral")) : undefined
    return part.type === "emotion" && asset !== undefined ? { ...part, asset } : part
  }
  return {
    name: format.name,
    emotions: format.emotions,
    createReader(options) {
      const reader = format.createReader(options)
      return { push: (delta) => reader.push(delta).map(displayed), end: () => reader.end().map(displayed) }
    },
  }
}

function pathOf(uri: string, folder: string | undefined): string | undefined {
  const [, path] = /^embedd?ed:\/\/(assets\/.+)$/.exec(uri) ?? []
  if (folder === undefined || path === undefined || path.split(/[\\/]/).includes("..")) return undefined
  return fileExists(join(folder, path)) ? join(folder, path) : undefined
}
