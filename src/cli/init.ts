import { relative, resolve } from "node:path"
import { createAgent } from "../agent/agent.ts"
import { PromptStrataError } from "../core/errors.ts"
import { loadProfile } from "../node/load-profile.ts"
import { chooseLocale } from "../node/locale.ts"
import type { CliContext } from "./context.ts"
import { demoModel } from "./demo/demo-model.ts"
import { exitCodes } from "./exit-codes.ts"
import { askForCharacter } from "./init-questions.ts"
import { nameFrom } from "./name-from.ts"
import { packageVersion } from "./package-version.ts"
import {
  type CharacterLocale,
  type CharacterPlan,
  characterFiles,
  characterId,
  characterLocales,
  requireNew,
  writeNewFiles,
} from "./scaffold.ts"
import { initWords } from "./words-init.ts"

/** What `init` was asked for. */
export interface InitOptions {
  readonly folder?: string
  readonly name?: string
  readonly locale?: string
  readonly debug: boolean
}

const snapshotFile = "test/prompt.md"

/** Writes a new character's project, with a snapshot of its prompt, and says what comes next. Resolves to the exit code. */
export async function initCommand(options: InitOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const given = { ...options, locale: readLocale(options.locale) }
  const answers = io.stdin.isTTY === true ? await askForCharacter(given, context) : given
  if (answers === undefined) return exitCodes.interrupted
  const plan = complete(answers, io.env)
  const files = characterFiles(plan)
  requireNew(plan.folder, [...files.keys(), snapshotFile])
  writeNewFiles(plan.folder, files)
  writeNewFiles(plan.folder, new Map([[snapshotFile, await promptOf(plan, files)]]))
  const shown = relative(process.cwd(), resolve(plan.folder)) || "."
  screen.note(initWords(plan.locale).done({ folder: shown, files: [...files.keys(), snapshotFile] }))
  return exitCodes.ok
}

function complete(
  { folder, name, locale }: { readonly folder?: string; readonly name?: string; readonly locale?: CharacterLocale | undefined },
  env: CliContext["io"]["env"],
): CharacterPlan {
  if (folder === undefined || folder.trim() === "") {
    throw new PromptStrataError("usage", "expected a folder for the new character, found none.", {
      hint: "Such as: promptstrata init luna",
    })
  }
  const chosen = name ?? nameFrom(folder)
  requireName(chosen)
  return { folder, name: chosen, locale: locale ?? readLocale(chooseLocale({ env })) ?? "en", version: packageVersion() }
}

/** The name stands in TOML, JSON, YAML and JavaScript: what would end a string there is no part of a name. */
function requireName(name: string): void {
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ·.'-]{0,39}$/u.test(name) && name.trim() === name) return
  throw new PromptStrataError(
    "usage",
    `expected a name of at most 40 letters, digits and spaces, found ${JSON.stringify(name)}.`,
    {
      hint: "Give one with --name.",
    },
  )
}

function readLocale(locale: string | undefined): CharacterLocale | undefined {
  if (locale === undefined) return undefined
  const chosen = chooseLocale({ option: locale, env: {} })
  const found = characterLocales.find((known) => known === chosen)
  if (found) return found
  throw new PromptStrataError(
    "usage",
    `expected one of ${characterLocales.join(", ")} as the character's language, found ${JSON.stringify(locale)}.`,
  )
}

/** The prompt for the question that the project's own test asks, as that test prints it. */
async function promptOf({ folder, name }: CharacterPlan, files: ReadonlyMap<string, string>): Promise<string> {
  const question = /\.preview\("([^"]*)"\)/.exec(files.get("test/prompt.test.mjs") ?? "")?.[1] ?? ""
  const path = resolve(folder, "profiles", `${characterId(name, folder)}.toml`)
  const profile = await loadProfile(path, { env: {} })
  const { messages } = await createAgent({ profile, model: demoModel() }).session("test").preview(question)
  return messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
}
