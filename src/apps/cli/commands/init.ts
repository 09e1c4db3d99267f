import { existsSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { createInterface, type Interface } from "node:readline"
import type { Command } from "commander"
import { PromptStrataError } from "../../../core/errors.ts"
import { createAgent } from "../../../loop/agent/agent.ts"
import { environmentLocale } from "../../../node/locale.ts"
import { loadProfile } from "../../../node/profile/load-profile.ts"
import { shippedTemplatesFolder } from "../../../node/shipped-files.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { demoModel } from "../demo/demo-model.ts"
import { exitCodes } from "../io.ts"
import { initWords } from "../words/command-words.ts"
import {
  type CharacterLocale,
  type CharacterPlan,
  characterFiles,
  characterId,
  cloneAsDependency,
  readLocale,
  requireNew,
  writeNewFiles,
} from "./scaffold.ts"

/** The settings of a new character that are known so far. */
interface CharacterAnswers {
  readonly folder?: string | undefined
  readonly name?: string | undefined
  readonly locale?: CharacterLocale | undefined
  /** A companion that keeps itself in SOUL.md, USER.md and MEMORY.md. */
  readonly soul?: boolean | undefined
}

const snapshotFile = "test/prompt.md"

interface InitOptions {
  readonly name?: string
  readonly locale?: string
  readonly soul?: boolean
  readonly debug?: boolean
}

/** Adds the command `init`. */
export function add(program: Command, run: RunCommand): void {
  program
    .command("init")
    .description(
      "Create a project for a new character: a profile, a persona, an answer format, a skill, a tool, a chat program and a prompt test.",
    )
    .argument("[folder]", "folder of the project; it is created if needed")
    .option("--name <name>", "name of the character")
    .option("--locale <locale>", "language of the character: en or zh-CN")
    .option("--soul", "a companion that keeps itself in SOUL.md, USER.md and MEMORY.md")
    .option("--debug", "print the stack of an error")
    .action((folder: string | undefined, { name, locale, soul, debug }: InitOptions) =>
      run(async (context) => init({ folder, name, locale: readLocale(locale), soul }, program.version() ?? "", context), {
        debug,
      }),
    )
}

/** Writes a new character's project with a snapshot of its prompt, and prints the next steps. Resolves to the exit code. */
async function init(given: CharacterAnswers, version: string, context: CliContext): Promise<number> {
  const { io, screen } = context
  const answers = io.stdin.isTTY === true ? await askForCharacter(given, context) : given
  if (answers === undefined) return exitCodes.interrupted
  const chosen = complete(answers, io.env)
  const clone = cloneAsDependency(chosen.folder)
  const plan = { ...chosen, dependency: clone ?? `^${version}` }
  const files = characterFiles(plan, given.soul ? ["character/common", `soul/${plan.locale}`] : undefined)
  const paths = [...files.keys(), snapshotFile].sort()
  requireNew(plan.folder, paths)
  writeNewFiles(plan.folder, files)
  writeNewFiles(plan.folder, new Map([[snapshotFile, await promptOf(plan, files)]]))
  const folder = relative(process.cwd(), resolve(plan.folder)) || "."
  const words = initWords(plan.locale)
  const made = [words.created(paths.length, folder), ...paths.map((path) => `  ${path}`)]
  const next = nextSteps(folder, words).map((step) => `  ${step}`)
  const from = clone === undefined ? [] : ["", words.clone(clone)]
  if (answers.locale === undefined && environmentLocale(io.env) === undefined) screen.note(words.language)
  screen.note(terminalText([...made, "", words.next, ...next, "", given.soul ? words.soul : words.memory, ...from].join("\n")))
  return exitCodes.ok
}

/** The commands that come next. A clone that was not built has nothing yet that a project could import. */
function nextSteps(folder: string, words: InitWords): string[] {
  const clone = dirname(shippedTemplatesFolder)
  const path = relative(process.cwd(), clone)
  const build = path === "" ? "npm run build" : `npm run build --prefix ${path}`
  return [
    ...(existsSync(join(clone, "dist")) ? [] : [`${build}    # ${words.build}`]),
    ...(folder === "." ? [] : [`cd ${folder}`]),
    `npm install  # ${words.install}`,
    `npm test     # ${words.test}`,
    `npm start    # ${words.start}`,
  ]
}

/** Asks for what was not given; an empty answer takes the proposal. Undefined if the user leaves. */
async function askForCharacter(
  given: CharacterAnswers,
  { io, screen, interrupts }: CliContext,
): Promise<CharacterAnswers | undefined> {
  const known = given.locale ?? readLocale(environmentLocale(io.env))
  if (given.folder !== undefined && given.name !== undefined && known !== undefined) return given
  const words = initWords(known ?? "en")
  const editor = createInterface({ input: io.stdin, output: screen.aside, terminal: screen.aside.isTTY === true })
  editor.on("SIGINT", () => editor.close())
  void interrupts.left.then(() => editor.close())
  try {
    const folder = given.folder ?? (await ask(editor, words.folder))
    if (folder === undefined) return undefined
    const proposal = nameFrom(folder)
    const name = given.name ?? (await ask(editor, words.name(proposal)))
    if (name === undefined) return undefined
    const locale = known ?? (await askForLanguage(editor, folder + name))
    return locale && { ...given, folder, name: name === "" ? proposal : name, locale }
  } finally {
    editor.close()
  }
}

/** Asks, in both languages, until one of them is named. The one in which the folder or the name is written is proposed. */
async function askForLanguage(editor: Interface, written: string): Promise<CharacterLocale | undefined> {
  const proposal = localeOf(written)
  for (;;) {
    const answer = await ask(editor, `Language / 语言: en, zh-CN (${proposal}): `)
    if (answer === undefined) return undefined
    const locale = answer === "" ? proposal : readLocale(environmentLocale({ LANG: answer }))
    if (locale !== undefined) return locale
  }
}

/** The language of a name. */
function localeOf(written: string): CharacterLocale {
  return /\p{sc=Han}/u.test(written) ? "zh-CN" : "en"
}

/** Reads one line, trimmed; undefined if the input ends first. */
function ask(editor: Interface, question: string): Promise<string | undefined> {
  return new Promise((resolveAnswer) => {
    const onClose = (): void => resolveAnswer(undefined)
    editor.once("close", onClose)
    editor.question(question, (line) => {
      editor.off("close", onClose)
      resolveAnswer(line.trim())
    })
  })
}

function complete({ folder, name, locale }: CharacterAnswers, env: CliContext["io"]["env"]) {
  if (folder === undefined || folder.trim() === "") {
    throw new PromptStrataError("usage", "expected a folder for the new character, found none.", {
      hint: "For example: promptstrata init luna",
    })
  }
  const chosen = name ?? nameFrom(folder)
  requireName(chosen)
  return { folder, name: chosen, locale: locale ?? readLocale(environmentLocale(env)) ?? localeOf(folder + chosen) }
}

/** Makes a character's name from its folder: `my-luna` becomes `My Luna`. */
function nameFrom(folder: string): string {
  return basename(resolve(folder))
    .split(/[-_ ]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")
}

/** The name is written into TOML, JSON, YAML and JavaScript, so it must not have characters that end a string there. */
function requireName(name: string): void {
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ·.'-]{0,39}$/u.test(name) && name.trim() === name) return
  const message = `expected a name of at most 40 letters, digits and spaces, found ${JSON.stringify(name)}.`
  throw new PromptStrataError("usage", message, { hint: "Give another name with --name." })
}

/** The prompt for the question in the project's own test, in the format of that test. */
async function promptOf({ folder, name }: CharacterPlan, files: ReadonlyMap<string, string>): Promise<string> {
  const question = /\.preview\("([^"]*)"\)/.exec(files.get("test/prompt.test.mjs") ?? "")?.[1] ?? ""
  const path = resolve(folder, "profiles", `${characterId(name, folder)}.toml`)
  const profile = await loadProfile(path, { env: {} })
  const { messages } = await createAgent({ profile, model: demoModel(), ports: { clock: { nowMs: () => 0 } } })
    .session("test")
    .preview(question)
  return messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
}

/** The words of `init`. */
type InitWords = ReturnType<typeof initWords>
