import { readFileSync, writeFileSync } from "node:fs"
import { basename, extname, resolve } from "node:path"
import { type Command, Option } from "commander"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { terminalLine, terminalText } from "../../encode/terminal-text.ts"
import type { Card } from "../../layers/card/card.ts"
import { cardParts, cardProblems } from "../../layers/card/card-problems.ts"
import type { LoreEntry } from "../../layers/lorebook/lorebook.ts"
import { loadCard } from "../../node/cards/card-file.ts"
import type { CardFile } from "../../node/cards/card-folder.ts"
import { writeCard } from "../../node/cards/write-card.ts"
import { displayPath } from "../../node/shipped-files.ts"
import { tiktokenCounter } from "../../tokenizers/tiktoken/tiktoken-counter.ts"
import { defaultModel } from "../choose-model.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { cardPathAt, importCard } from "../import/import-card.ts"
import { exitCodes, jsonLine, type Paint, painterFor } from "../io.ts"
import { printTable } from "../memory/terminal-table.ts"
import { readLocale } from "./scaffold.ts"

interface CardOptions {
  readonly json?: boolean
  readonly format?: CardFile["format"]
  readonly image?: string
  readonly debug?: boolean
}

/** Adds the command `card` with its sub-commands. */
export function addCard(program: Command, run: RunCommand): void {
  const card = program
    .command("card")
    .summary("show, check and convert character cards")
    .description("Show, check and convert character cards: PNG, CHARX and JSON files of the versions V1 to V3.")
  const add = (name: string, words: string, work: (file: string, options: CardOptions, context: CliContext) => Promise<number>) =>
    card
      .command(name)
      .description(words)
      .argument("<file>", "the card: .png, .charx or .json, or the folder of an imported one")
      .option("--debug", "print the stack of an error")
      .action((file: string, ...given: readonly unknown[]) => {
        const options = given.find((value) => typeof value === "object" && value !== null) as CardOptions
        return run((context) => work(file, options, context), { debug: options.debug, json: options.json })
      })
  add("show", "Print a card: its texts, greetings and lore, and the tokens of each part.", showCard).option(
    "--json",
    "print the card's JSON",
  )
  add("lint", "Say what is wrong with a card, and what each part costs in a turn. The exit code is 1 if something is.", lintCard)
  card
    .command("import")
    .description(
      "Make a project of a card, as init does: its texts, greetings and lore become files to edit. No file is overwritten.",
    )
    .argument("<file>", "the card: .png, .charx or .json")
    .argument("[folder]", "folder of the project (default: the character's name)")
    .option("--locale <locale>", "language of the prompts: en or zh-CN (default: the card's)")
    .option("--debug", "print the stack of an error")
    .action((file: string, folder: string | undefined, { locale, debug }: { locale?: string; debug?: boolean }) =>
      run((context) => importCard({ file, folder, locale: readLocale(locale), version: program.version() ?? "" }, context), {
        debug,
      }),
    )
  card
    .command("export")
    .description("Write a card in another form. A file that is there already is not replaced.")
    .argument("<file>", "the card: .png, .charx or .json, or the folder of an imported one")
    .argument("[to]", "the new file (default: the card's name with the form's ending, here)")
    .addOption(new Option("--format <format>", "the form of the new file").choices(["json", "png", "charx"]))
    .option("--image <file>", "the picture of a PNG card that was none before")
    .option("--debug", "print the stack of an error")
    .action((file: string, to: string | undefined, options: CardOptions) =>
      run((context) => exportCard({ file, to, ...options }, context), { debug: options.debug }),
    )
}

async function counterOf({ ports, io }: CliContext): Promise<TokenCounter> {
  const named = io.env.PROMPTSTRATA_MODEL?.trim()
  return ports?.counter ?? (await tiktokenCounter({ model: (named === "demo" ? undefined : named) || defaultModel }))
}

/** Prints a card as a page for people. */
async function showCard(path: string, { json }: CardOptions, context: CliContext): Promise<number> {
  const { io } = context
  const { card, format } = await loadCard(cardPathAt(path))
  if (json) io.stdout.write(`${jsonLine(card.json)}\n`)
  else io.stdout.write(`${cardPage(card, { format, counter: await counterOf(context), paint: painterFor(io.stdout, io.env) })}\n`)
  return exitCodes.ok
}

interface PageParts {
  readonly format: CardFile["format"]
  readonly counter: TokenCounter
  readonly paint: Paint
}

function cardPage(card: Card, { format, counter, paint }: PageParts): string {
  const { creator, characterVersion, tags, creatorNotes, book, assets } = card
  const facts = [
    `card V${card.version} (${format})`,
    creator === "" ? "" : `by ${terminalLine(creator)}`,
    characterVersion === "" ? "" : `version ${terminalLine(characterVersion)}`,
  ]
  const head = `${paint("bold", terminalLine(card.shownName))}  ${paint("dim", facts.filter((fact) => fact !== "").join(" · "))}`
  const block = (title: string, text: string) =>
    text.trim() === "" ? [] : [`${paint("bold", title)}\n${terminalText(text.trim())}`]
  const greetings = [...card.greetings, ...card.groupGreetings].map(
    (text, at) => `${at + 1}. ${at < card.greetings.length ? "" : "(for groups) "}${terminalText(text.trim())}`,
  )
  const lore = (book?.entries ?? []).map((entry) => loreCells(entry, counter))
  return [
    [head, ...(tags.length === 0 ? [] : [paint("dim", terminalLine(tags.join(", ")))])].join("\n"),
    ...block("Creator's notes", creatorNotes),
    ...block("Description", card.description),
    ...block("Personality", card.personality),
    ...block("Scenario", card.scenario),
    ...block("Greetings", greetings.join("\n")),
    ...(lore.length === 0
      ? []
      : [`${paint("bold", "Lore")}\n${printTable(["ORDER", "KEYS", "TITLE", "PLACE", "TOKENS"], lore)}`]),
    ...block("Assets", assets.map(({ type, name, uri }) => `${type} ${name}: ${uri.slice(0, 80)}`).join("\n")),
    costTable(card, counter, paint),
    ...block("Warnings", cardProblems(card).join("\n")),
  ].join("\n\n")
}

function loreCells(
  { order, keys, title = "", position, constant, disabled, text }: LoreEntry,
  counter: TokenCounter,
): readonly string[] {
  const words = keys.map((key) => (typeof key === "string" ? key : `/${key.source}/${key.flags}`)).join(", ")
  const place = position?.at === "depth" ? `depth ${position.depth}, ${position.role}` : (position?.at ?? "")
  const state = disabled === true ? "(off) " : constant === true ? "(always) " : ""
  return [String(order), state + words, title, place, String(counter.count(text.text))]
}

function costTable(card: Card, counter: TokenCounter, paint: Paint): string {
  const parts = cardParts(card).map((part) => ({ ...part, tokens: counter.count(part.text) }))
  const sum = (always: boolean) => parts.reduce((total, part) => total + (part.always === always ? part.tokens : 0), 0)
  const rows = parts.map(({ name, tokens, always }) => [name, String(tokens), always ? "every turn" : "when called"])
  const total = `${sum(true)} tokens in every turn, up to ${sum(true) + sum(false)} with all lore`
  return `${paint("bold", "Costs")}\n${printTable(["PART", "TOKENS", "WHEN"], rows)}\n${total}`
}

/** Says what is wrong with a card. Resolves to 1 if something is. */
async function lintCard(path: string, _: CardOptions, context: CliContext): Promise<number> {
  const { io } = context
  const { card } = await loadCard(cardPathAt(path))
  const paint = painterFor(io.stdout, io.env)
  const problems = cardProblems(card).map((problem) => `${paint("yellow", "warning")}  ${terminalLine(problem)}`)
  const found = problems.length === 0 ? "No problems found." : problems.join("\n")
  io.stdout.write(`${found}\n\n${costTable(card, await counterOf(context), paint)}\n`)
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed
}

interface ExportOptions extends CardOptions {
  readonly file: string
  readonly to: string | undefined
}

/** Writes a card in another form. */
async function exportCard({ file, to, format: wanted, image }: ExportOptions, { screen }: CliContext): Promise<number> {
  const path = cardPathAt(file)
  const card = await loadCard(path)
  const named = to === undefined ? undefined : formats[extname(to).toLowerCase()]
  const format = wanted ?? named ?? (to === undefined ? "json" : card.format)
  const target = resolve(to ?? `${basename(path, path === file ? extname(path) : "")}.${format}`)
  const bytes = writeCard(card, { format, image: image === undefined ? undefined : readFileSync(image) })
  try {
    writeFileSync(target, bytes, { flag: "wx" })
  } catch (cause) {
    throw new PromptStrataError("file", `expected to write a new file ${displayPath(target)}, but ${messageOf(cause)}.`, {
      cause,
    })
  }
  screen.note(terminalLine(`Wrote ${displayPath(target)}.`))
  return exitCodes.ok
}

const formats: Readonly<Record<string, CardFile["format"]>> = {
  ".json": "json",
  ".png": "png",
  ".apng": "png",
  ".charx": "charx",
}
