import { existsSync, readdirSync } from "node:fs"
import { basename, extname, join, relative, resolve } from "node:path"
import { PromptStrataError } from "../../../core/errors.ts"
import { createAgent } from "../../../loop/agent/agent.ts"
import { loadCard } from "../../../node/cards/card-file.ts"
import { type CardFile, cardFolderAt, filesOfCard, isCardPart } from "../../../node/cards/card-folder.ts"
import { partsFile } from "../../../node/cards/card-parts.ts"
import { plainName } from "../../../node/cards/card-persona.ts"
import { loadProfile } from "../../../node/profile/load-profile.ts"
import { displayPath } from "../../../node/shipped-files.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import { cardProblems } from "../../../prompt/layers/card/card-problems.ts"
import { countingIds, manualClock } from "../../../testing/deterministic-ports.ts"
import {
  type CharacterLocale,
  characterFiles,
  characterId,
  cloneAsDependency,
  filesBelow,
  removeFiles,
  requireNew,
  writeNewFiles,
} from "../commands/scaffold.ts"
import type { CliContext } from "../context.ts"
import { demoModel } from "../demo/demo-model.ts"
import { exitCodes } from "../io.ts"

/** A card, and the project that it becomes. */
export interface CardImport {
  readonly file: string
  /** Default: a folder of the character's name, here. */
  readonly folder?: string | undefined
  /** Default: the card's, guessed from its letters. */
  readonly locale?: CharacterLocale | undefined
  readonly version: string
  /** Replaces files that are there, and takes away those that are a part of another card. Default: false. */
  readonly force?: boolean | undefined
}

/** Makes a project of a card's file, as `init` makes one. No file is overwritten without `force`. Resolves to the exit code. */
export async function importCard(
  { file, folder, locale, version, force = false }: CardImport,
  { screen, translate }: CliContext,
): Promise<number> {
  const card = await loadCard(file)
  const named = plainName(card.card.shownName) || plainName(card.card.name)
  const name = named || "Character"
  const id = characterId(named, folder ?? basename(file, extname(file)))
  const target = folder ?? id
  const plan = {
    folder: target,
    name,
    id,
    locale: locale ?? languageOf(card),
    dependency: cloneAsDependency(target) ?? `^${version}`,
  }
  const parts = filesOfCard(card)
  const scaffold = ["character/common", "card/common", `card/${plan.locale}`]
  const files = new Map<string, string | Uint8Array>(characterFiles(plan, scaffold))
  for (const [path, content] of parts) files.set(`prompts/characters/${id}/${path}`, content)
  const snapshot = "test/prompt.md"
  if (force) removeFiles(strayParts(join(target, "prompts", "characters", id), new Set(parts.keys())))
  else requireNew(target, [...files.keys(), snapshot])
  writeNewFiles(target, files, force)
  writeNewFiles(target, new Map([[snapshot, await promptOf(resolve(target, "profiles", `${id}.toml`))]]), force)
  const shown = relative(process.cwd(), resolve(target)) || "."
  const problems = cardProblems(card.card)
  screen.note(
    terminalText(
      [
        `Imported the card of ${name} into ${shown}: ${files.size + 1} files, of which ${parts.size} are the card, in prompts/characters/${id}.`,
        ...(locale === undefined
          ? [`Its prompts are in ${plan.locale}, as its texts seem to be. --locale names another language.`]
          : []),
        ...(problems.length === 0
          ? []
          : ["", "The card has problems:", ...problems.map((problem) => `  ${terminalLine(translate(problem))}`)]),
        "",
        "Next steps:",
        `  cd ${shown}`,
        "  npm install",
        "  npm start                    # talk",
        "  npx promptstrata card lint . # problems, and what each part costs",
        `  npx promptstrata card export . ${id}.${card.format}`,
      ]
        .map(translate)
        .join("\n"),
    ),
  )
  return exitCodes.ok
}

/** The files in a card's folder that are parts of a card and none of the new ones, so that they would be read with these. */
function strayParts(folder: string, kept: ReadonlySet<string>): readonly string[] {
  const found = existsSync(folder) ? filesBelow(folder) : []
  return found.filter((path) => !kept.has(path) && isCardPart(path)).map((path) => join(folder, path))
}

/** Chinese if Chinese characters are more than a tenth of the letters and no Japanese or Korean ones are among them. */
function languageOf({ card }: CardFile): CharacterLocale {
  const text = [card.description, card.greetings[0], card.personality, card.scenario].join("\n").slice(0, 20_000)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  return han * 10 > letters && !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text) ? "zh-CN" : "en"
}

/** The prompt that the project's own test expects. */
async function promptOf(profilePath: string): Promise<string> {
  const clock = manualClock()
  const profile = await loadProfile(profilePath, { env: {}, clock })
  const agent = createAgent({ profile, model: demoModel(), ports: { clock, ids: countingIds() } })
  const question = profile.locale === "en" ? "Who are you?" : "你是谁？"
  const { messages } = await agent.session("test").preview(question, { prompt: "chat" })
  return messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
}

/** The card that a path means: a file, the folder of an imported card, or a project with one. Throws `usage` for a folder without. */
export function cardPathAt(path: string): string {
  const characters = join(path, "prompts", "characters")
  if (cardFolderAt(path) !== undefined || !existsSync(characters)) return path
  const found = readdirSync(characters)
    .map((name) => join(characters, name))
    .filter((folder) => cardFolderAt(folder) !== undefined)
    .sort()
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const names = found.map((folder) => displayPath(folder)).join(", ")
  throw new PromptStrataError(
    "usage",
    only === undefined
      ? `expected an imported card in ${displayPath(characters)}, found no folder with ${partsFile}.`
      : `expected the folder of one card, as ${displayPath(characters)} has ${found.length}: ${names}.`,
  )
}
