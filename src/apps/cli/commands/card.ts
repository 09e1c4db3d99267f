import { readFileSync, writeFileSync } from "node:fs"
import { basename, extname, resolve } from "node:path"
import { type Command, Option } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { costOf, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import { loadCard } from "../../../node/cards/card-file.ts"
import { type CardFile, cardFolderAt } from "../../../node/cards/card-folder.ts"
import { createSprites } from "../../../node/cards/sprites.ts"
import { writeCard } from "../../../node/cards/write-card.ts"
import { environmentLocale } from "../../../node/locale.ts"
import { displayPath } from "../../../node/shipped-files.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { Card } from "../../../prompt/layers/card/card.ts"
import { cardParts, cardProblems } from "../../../prompt/layers/card/card-problems.ts"
import type { LoreEntry } from "../../../prompt/layers/lorebook/lorebook.ts"
import { fitColumns, headsIn, wrapColumns } from "../../../trace/table.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { cardPathAt, importCard } from "../import/import-card.ts"
import { columnsOf, exitCodes, fitLines, jsonLine, type Paint, painterFor } from "../io.ts"
import { printColumns } from "../memory/terminal-table.ts"
import { portsFor } from "../open-agent.ts"
import { readPrices } from "../serve/read-prices.ts"
import type { Translate } from "../words/translate.ts"
import { readLocale, replaceFile } from "./scaffold.ts"

interface PageParts {
  readonly counter: TokenCounter
  readonly paint: Paint
  /** Puts titles and the words of tables into the reader's language. */
  readonly say: Translate
  /** The language in which notes are shown, if the card has them in it. */
  readonly locale: string | undefined
  /** The columns of the terminal. */
  readonly maxWidth?: number | undefined
  /** With it, the costs are also money. */
  readonly price?: TokenPrice | undefined
}

/** A card as a page for people. */
export function cardPage({ card, format }: CardFile, { counter, paint, say, locale, maxWidth }: PageParts): string {
  const { creator, characterVersion, tags, book, assets } = card
  const facts = [
    `card V${card.version} (${format})`,
    creator === "" ? "" : `by ${terminalLine(creator)}`,
    characterVersion === "" ? "" : `version ${terminalLine(characterVersion)}`,
  ]
  const head = `${paint("bold", terminalLine(card.shownName))}  ${paint("dim", facts.filter((fact) => fact !== "").join(" · "))}`
  const title = (words: string) => paint("bold", say(words))
  const block = (words: string, text: string) => (text.trim() === "" ? [] : [`${title(words)}\n${terminalText(text.trim())}`])
  const greetings = [...card.greetings, ...card.groupGreetings].map(
    (text, at) => `${at + 1}. ${at < card.greetings.length ? "" : say("(for groups) ")}${terminalText(text.trim())}`,
  )
  const files = assets.map(({ type, name, uri }) => fitColumns(`${type} ${name}: ${uri.slice(0, 80)}`, maxWidth))
  const lore = (book?.entries ?? []).map((entry) => loreCells(entry, { counter, say }))
  return [
    [head, ...(tags.length === 0 ? [] : [paint("dim", terminalLine(tags.join(", ")))])].join("\n"),
    ...block("Creator's notes", notesOf(card, locale)),
    ...block("Description", card.description),
    ...block("Personality", card.personality),
    ...block("Scenario", card.scenario),
    ...block("System prompt", card.systemPrompt),
    ...block("Example dialogues", card.exampleDialogues),
    ...block("After the history", card.postHistory),
    ...block("Note at a depth", card.note?.text.text ?? ""),
    ...block("Greetings", greetings.join("\n")),
    ...(lore.length === 0
      ? []
      : [`${title("Lore")}\n${printColumns(headsIn(["ORDER", "KEYS", "TITLE", "PLACE", "TOKENS"], say), lore, maxWidth)}`]),
    ...block("Assets", files.join("\n")),
    costTable(card, { counter, paint, say }),
    ...block("Warnings", cardProblems(card).map(say).join("\n")),
  ]
    .map((part) => wrapColumns(part, maxWidth))
    .join("\n\n")
}

function loreCells(entry: LoreEntry, { counter, say }: Pick<PageParts, "counter" | "say">): readonly string[] {
  const { order, keys, title = "", position, constant, disabled, text } = entry
  const words = keys.map((key) => (typeof key === "string" ? key : `/${key.source}/${key.flags}`)).join(", ")
  const place = position?.at === "depth" ? `depth ${position.depth}, ${position.role}` : (position?.at ?? "")
  const state = disabled === true ? say("(off) ") : constant === true ? say("(always) ") : ""
  return [String(order), state + words, title, place, String(counter.count(text.text))]
}

const turnsADay = 50
const daysAMonth = 30

/** The tokens of each part of a card, and what it costs a month if it is in every turn (C39). */
export function costTable(card: Card, { counter, paint, say, price }: Omit<PageParts, "locale">): string {
  const parts = cardParts(card).map((part) => {
    const tokens = counter.count(part.text)
    const inputTokens = tokens * turnsADay * daysAMonth
    const money = costOf({ inputTokens, inputCacheReadTokens: part.cacheable ? inputTokens : 0 }, price) ?? 0
    return { ...part, tokens, money }
  })
  const sum = (of: "tokens" | "money", always?: true): number =>
    parts.reduce((total, part) => total + (always && !part.always ? 0 : part[of]), 0)
  const rows = parts.map(({ name, tokens, always, cacheable, money }) => {
    const priced = price === undefined ? [] : [say(cacheable ? "cached" : "not cached"), money.toFixed(4)]
    return [name, String(tokens), say(always ? "every turn" : "when called"), ...priced]
  })
  const heads = price === undefined ? ["PART", "TOKENS", "WHEN"] : ["PART", "TOKENS", "WHEN", "CACHE", "USD/MONTH"]
  const [always, most] = [sum("money", true).toFixed(4), sum("money").toFixed(4)]
  return [
    paint("bold", say("Costs")),
    printColumns(headsIn(heads, say), rows),
    say(`${sum("tokens", true)} tokens in every turn, up to ${sum("tokens")} with all lore`),
    ...(price === undefined
      ? []
      : [say(`${turnsADay} turns a day cost ${always} US dollars a month, up to ${most} with all lore in every turn`)]),
  ].join("\n")
}

/** The creator's notes in the language of a locale, else those that the card has for all. */
function notesOf(card: Card, locale = "en"): string {
  const forAll = card.creatorNotes.trim() === "" ? Object.values(card.notesByLanguage)[0] : card.creatorNotes
  return ownNotes(card, locale) ?? forAll ?? ""
}

function ownNotes({ notesByLanguage }: Card, locale: string): string | undefined {
  const codeOf = (name: string) => name.toLowerCase().split(/[-_.]/, 1)[0]
  return Object.entries(notesByLanguage).find(([name]) => codeOf(name) === codeOf(locale))?.[1]
}

/** Tells if a card has notes, but none in the language that was asked for. */
function notesProblems(card: Card, locale: string | undefined): readonly string[] {
  if (locale === undefined || ownNotes(card, locale) !== undefined || notesOf(card, locale).trim() === "") return []
  return [`creator_notes_multilingual: expected notes in ${JSON.stringify(locale)}, found none; others are shown in their place.`]
}

interface CardOptions {
  readonly json?: boolean
  readonly plain?: boolean
  readonly format?: CardFile["format"]
  readonly image?: string
  readonly locale?: string
  readonly prices?: string
  readonly model?: string
  readonly force?: boolean
  readonly debug?: boolean
}

/** Adds the command `card` with its sub-commands. */
export function add(program: Command, run: RunCommand): void {
  const card = program
    .command("card")
    .description("Show, check and convert character cards: PNG, CHARX and JSON files of the versions V1 to V3.")
  const addReader = (
    name: string,
    words: string,
    work: (file: string, options: CardOptions, context: CliContext) => Promise<number>,
  ) =>
    card
      .command(name)
      .description(words)
      .argument("<file>", "the card: .png, .charx or .json, or the folder of an imported one")
      .option("--locale <language>", "the language of the creator's notes, by its code (default: the environment's)")
      .option("--debug", "print the stack of an error")
      .action((file: string, options: CardOptions) =>
        run((context) => work(file, options, context), { debug: options.debug, json: options.json }),
      )
  addReader("show", "Print a card: its texts, greetings and lore, and the tokens of each part.", showCard)
    .option("--json", "print the card's JSON")
    .option("--plain", "without colours")
  addReader(
    "lint",
    "Say what is wrong with a card, and what each part costs in a turn. The exit code is 1 if something is.",
    lintCard,
  )
    .option("--prices <file>", "a JSON file with the prices of models, as for inspect; one price is for all models")
    .option("--model <id>", "the model whose price counts (default: PROMPTSTRATA_MODEL)")
  card
    .command("import")
    .description(
      "Make a project of a card, as init does: its texts, greetings and lore become files to edit. No file is overwritten without --force.",
    )
    .argument("<file>", "the card: .png, .charx or .json")
    .argument("[folder]", "folder of the project (default: the character's name)")
    .option("--locale <locale>", "language of the prompts: en or zh-CN (default: the card's)")
    .option("--force", "replace files that are there already")
    .option("--debug", "print the stack of an error")
    .action((file: string, folder: string | undefined, { locale, debug, force }: CardOptions) => {
      const plan = { file, folder, force, version: program.version() ?? "" }
      return run((context) => importCard({ ...plan, locale: readLocale(locale) }, context), { debug })
    })
  card
    .command("export")
    .description("Write a card in another form. A file that is there already is not replaced without --force.")
    .argument("<file>", "the card: .png, .charx or .json, or the folder of an imported one")
    .argument("[to]", "the new file (default: here, as JSON; an imported card in the form that it came in)")
    .addOption(new Option("--format <format>", "the form of the new file").choices(["json", "png", "charx"]))
    .option("--image <file>", "the picture of a PNG card that was none before")
    .option("--force", "replace a file that is there already")
    .option("--debug", "print the stack of an error")
    .action((file: string, to: string | undefined, options: CardOptions) =>
      run((context) => exportCard({ file, to, ...options }, context), { debug: options.debug }),
    )
}

/** Prints a card as a page for people. */
async function showCard(path: string, { json, plain = false, locale: asked }: CardOptions, context: CliContext): Promise<number> {
  const io = plain ? { ...context.io, env: { ...context.io.env, NO_COLOR: "1" } } : context.io
  const file = await loadCard(cardPathAt(path))
  const { card } = file
  if (json) io.stdout.write(`${jsonLine(card.json)}\n`)
  else {
    const paint = painterFor(io.stdout, io.env)
    const locale = asked ?? environmentLocale(io.env)
    const { counter } = await portsFor({}, context)
    io.stdout.write(`${cardPage(file, { counter, paint, say: context.translate, locale, maxWidth: columnsOf(io.stdout) })}\n`)
  }
  return exitCodes.ok
}

/** Says what is wrong with a card. Resolves to 1 if something is. */
async function lintCard(path: string, { locale, ...options }: CardOptions, context: CliContext): Promise<number> {
  const { io } = context
  const price = priceFor(options, io.env)
  const { card } = await loadCard(cardPathAt(path))
  const { problems: unseen } = createSprites(cardPathAt(path))()
  const paint = painterFor(io.stdout, io.env)
  const problems = [...cardProblems(card), ...unseen, ...notesProblems(card, locale)].map(
    (problem) => `${paint("yellow", context.translate("warning"))}  ${terminalLine(context.translate(problem))}`,
  )
  const found = problems.length === 0 ? context.translate("No problems found.") : problems.join("\n")
  const { counter } = await portsFor({}, context)
  io.stdout.write(`${fitLines(found, io.stdout)}\n\n${costTable(card, { counter, paint, say: context.translate, price })}\n`)
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed
}

/** The price of the model that is named, else of the environment's. Undefined if neither it nor prices are named; throws `usage` for a price that is not there. */
function priceFor({ prices: path, model }: CardOptions, env: CliContext["io"]["env"]): TokenPrice | undefined {
  const prices = readPrices(path)
  const name = model ?? env.PROMPTSTRATA_MODEL
  const [only, ...others] = Object.values(prices)
  const price = (name && priceOf(prices, name)) || (others.length === 0 ? only : undefined)
  if (price !== undefined || (path ?? model) === undefined) return price
  throw new PromptStrataError("usage", `expected a price for the model ${JSON.stringify(name ?? "")}, found none.`, {
    hint: "--model names a model, and --prices a file with its price.",
  })
}

interface ExportOptions extends CardOptions {
  readonly file: string
  readonly to: string | undefined
}

/** Writes a card in another form. */
async function exportCard(
  { file, to, format: wanted, image, force = false }: ExportOptions,
  { screen, translate }: CliContext,
): Promise<number> {
  const path = cardPathAt(file)
  const card = await loadCard(path)
  const named = to === undefined ? undefined : formats[extname(to).toLowerCase()]
  const isImported = cardFolderAt(path) !== undefined
  const format = wanted ?? named ?? (to === undefined && !isImported ? "json" : card.format)
  const target = resolve(to ?? `${basename(path, path === file ? extname(path) : "")}.${format}`)
  const bytes = writeCard(card, { format, image: image === undefined ? undefined : readFileSync(image) })
  try {
    if (force) replaceFile(target, bytes)
    else writeFileSync(target, bytes, { flag: "wx" })
  } catch (cause) {
    throw new PromptStrataError("file", `expected to write a new file ${displayPath(target)}, but ${messageOf(cause)}.`, {
      cause,
    })
  }
  screen.note(terminalLine(translate(`Wrote ${displayPath(target)}.`)))
  return exitCodes.ok
}

const formats: Readonly<Record<string, CardFile["format"]>> = {
  ".json": "json",
  ".png": "png",
  ".apng": "png",
  ".charx": "charx",
}
