import { existsSync, readFileSync, type Stats, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import type { Command } from "commander"
import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord, parsedJson } from "../../../core/json-access.ts"
import { hostPorts } from "../../../core/ports.ts"
import { cardFolderAt } from "../../../node/cards/card-folder.ts"
import { readLorebook } from "../../../node/cards/lorebook-file.ts"
import { isPng } from "../../../node/cards/png-chunks.ts"
import { hasZipBehind, isZip } from "../../../node/cards/zip.ts"
import { promptLocale } from "../../../node/locale.ts"
import { isAbsent } from "../../../node/read-text-file.ts"
import { displayPath } from "../../../node/shipped-files.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { isAgnaiBook, isNovelBook } from "../../../prompt/layers/card/foreign-books.ts"
import { createLoreScanner } from "../../../prompt/layers/lorebook/scan.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { chatTurns, storeTurns } from "../import/chat-turns.ts"
import { importCard } from "../import/import-card.ts"
import { filesOfPreset } from "../import/import-preset.ts"
import { type ImportedFiles, type ImportSource, writeImport } from "../import/imported-files.ts"
import { type ForeignServers, filesOfServers, mcpServersIn, type ServersSource } from "../import/mcp-servers.ts"
import { isPresetJson } from "../import/preset.ts"
import { isTavernHeader, readTavernChat } from "../import/tavern-chat.ts"
import { filesOfAgents, filesOfWorkspace, isWorkspace } from "../import/workspace-files.ts"
import { exitCodes } from "../io.ts"
import { conversationName, latestConversation, openProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, type CommonOptions, type StoreOptions } from "../options.ts"
import { storeWords } from "../words/command-words.ts"
import { characterId, readLocale } from "./scaffold.ts"

interface ChatImport extends CommonOptions, StoreOptions {
  readonly file: string
  readonly text: string
  /** Default: the next conversation of `promptstrata chat`. */
  readonly conversation?: string | undefined
}

/** Makes a conversation of a chat of SillyTavern, and says what was not taken. No conversation is changed. Resolves to the exit code. */
async function importChat({ file, text, conversation, ...options }: ChatImport, context: CliContext): Promise<number> {
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
  const { turns, report } = chatTurns(chat, people, () => ids.next("turn"))
  await storeTurns(store, key, turns)
  const left = [...chat.report, ...report]
  screen.note(
    [
      `A chat of SillyTavern is the conversation ${name} of ${agent.name} now. Messages: ${chat.messages.length}.`,
      ...(conversation === undefined ? ["`promptstrata chat` goes on with it."] : []),
      "Swipes are the alternatives of an answer. No memories were made of what was said.",
      ...(left.length === 0 ? [] : ["Not taken:", ...left.map((what) => `  ${translate(what)}`)]),
    ]
      .map((line) => terminalLine(translate(line)))
      .join("\n"),
  )
  return exitCodes.ok
}

interface ImportOptions extends CommonOptions, StoreOptions {
  readonly conversation?: string
  /** Replaces files that are there. */
  readonly force?: boolean
}

/** Adds the command `import`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("import")
    .description("Take over a file or folder of another program: it says what it found, and makes the right thing of it.")
    .argument("<path>", "the file or folder")
    .argument("[to]", "folder for new files (default: named after the content)")
    .option("--force", "replace files that are there already")
    .option("--conversation <name>", "name of the conversation that a chat becomes (default: the next one of chat)")
  addCommonOptions(command, { profile: "layered", store: "required" }).action(
    (path: string, folder: string | undefined, options: ImportOptions) =>
      run((context) => importFile(path, { folder, version: program.version() ?? "", ...options }, context), {
        debug: options.debug,
      }),
  )
}

interface ImportPlan extends ImportOptions {
  readonly folder: string | undefined
  readonly version: string
}

/** Finds out what a path holds, and imports it. Resolves to the exit code. */
async function importFile(path: string, { folder, version, ...options }: ImportPlan, context: CliContext): Promise<number> {
  const found = findKind(path)
  const given = readLocale(options.locale)
  if (found.kind === "card") return importCard({ file: path, folder, locale: given, version, force: options.force }, context)
  if (found.kind !== "chat") {
    const locale = given ?? readLocale(promptLocale({ env: context.io.env })) ?? "en"
    return writeImport(
      filesOf(found, { file: path, locale, env: context.io.env }),
      { folder, force: options.force === true },
      context,
    )
  }
  if (folder !== undefined)
    throw new PromptStrataError("usage", "expected no folder, because a chat becomes a conversation in the store.", {
      hint: "--store or --data-dir names the store.",
    })
  return importChat({ file: path, text: found.text, ...options }, context)
}

type WithFiles = Exclude<Finding, { readonly kind: "card" | "chat" }>

function filesOf(found: WithFiles, source: ServersSource): ImportedFiles {
  const { file, locale } = source
  switch (found.kind) {
    case "preset":
      return filesOfPreset(found.json, source)
    case "lorebook":
      return filesOfLorebook(found, source)
    case "servers":
      return filesOfServers(found.servers, source)
    case "agents":
      return filesOfAgents(found.text, { ...source, file: statSync(file).isDirectory() ? join(file, "AGENTS.md") : file })
    case "workspace":
      return filesOfWorkspace(file, locale)
  }
}

/** A lorebook beside a profile that has it. The file stays as it is: nothing of it is lost, and JSON is still a stranger's text. */
function filesOfLorebook(found: Extract<Finding, { readonly kind: "lorebook" }>, { file, locale }: ImportSource): ImportedFiles {
  const { book, warnings } = readLorebook(file)
  const id = characterId("", basename(file, extname(file)))
  const path = `lore/${id}.${found.ending}`
  const refused = createLoreScanner(book).refused.map(
    ({ entry, key, reason }) => `entry ${JSON.stringify(entry.slice(0, 60))}: the pattern ${key} is not used: ${reason}.`,
  )
  const profile = [
    `# A lorebook. Another profile takes it with extends = "./${id}.toml", or with the lines of [lorebook].\n\nlocale = ${JSON.stringify(locale)}\n`,
    '[agent]\nname = "Lore"\n',
    `[lorebook]\nfiles = ["../${path}"]\n`,
  ].join("\n")
  return {
    name: id,
    what:
      book.entries.length === 1
        ? `A lorebook with 1 entry: ${path}, and profiles/${id}.toml, which others extend.`
        : `A lorebook with ${book.entries.length} entries: ${path}, and profiles/${id}.toml, which others extend.`,
    files: new Map([
      [path, found.text],
      [`profiles/${id}.toml`, profile],
    ]),
    report: [...warnings, ...refused],
  }
}

/** A file or folder of another program, by what it holds. */
type Finding =
  | { readonly kind: "card" }
  | { readonly kind: "chat"; readonly text: string }
  | { readonly kind: "lorebook"; readonly text: string; readonly ending: "json" | "md" }
  | { readonly kind: "preset"; readonly json: Readonly<Record<string, unknown>> }
  | { readonly kind: "servers"; readonly servers: ForeignServers }
  | { readonly kind: "agents"; readonly text: string }
  | { readonly kind: "workspace" }

const maxBytes = 256 * 1024 * 1024

/** Looks what a file or folder of another program is, at its content alone. Throws `usage` for anything that cannot be imported. */
export function findKind(path: string): Finding {
  const file = displayPath(path)
  const stats = statsOf(path, file)
  if (stats.isDirectory()) {
    const rules = join(path, "AGENTS.md")
    if (isWorkspace(path)) return { kind: "workspace" }
    if (existsSync(rules)) return { kind: "agents", text: decoded(readFileSync(rules), displayPath(rules)) }
    throw unknown(file, cardFolderAt(path) === undefined ? "a folder with other files" : "a card that was imported already")
  }
  if (!stats.isFile()) throw unknown(file, "no file")
  const { size } = stats
  if (size > maxBytes) throw unknown(file, `a file of ${size} bytes, more than ${maxBytes}`)
  const bytes = readFileSync(path)
  if (isPng(bytes) || isZip(bytes) || hasZipBehind(bytes)) return { kind: "card" }
  const text = decoded(bytes, file)
  const line = parsedJson(text.slice(0, text.search(/\n|$/)))
  const json = parsedJson(text) ?? parsedJson(withoutComments(text))
  if (isRecord(json) && isLorebookJson(json)) return { kind: "lorebook", text, ending: "json" }
  if (isRecord(json) && isCardJson(json)) return { kind: "card" }
  const servers = mcpServersIn(json)
  if (servers !== undefined) return { kind: "servers", servers }
  if (isRecord(json) && isPresetJson(json)) return { kind: "preset", json }
  if (isTavernHeader(line)) return { kind: "chat", text }
  if (basename(path) === "AGENTS.md") return { kind: "agents", text }
  if (/^\s*---\s*\n(?:(?!---).*\n)*?(?:keys|always):/.test(text)) return { kind: "lorebook", text, ending: "md" }
  const isReplies = isRecord(json) && (Array.isArray(json.qrList) || Array.isArray(json.quickReplySlots))
  if (isReplies) throw unknown(file, "quick replies of SillyTavern, which are buttons of its page")
  throw unknown(file, json === undefined ? "another text" : "other JSON")
}

function statsOf(path: string, file: string): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    if (isAbsent(cause)) throw new PromptStrataError("usage", `expected a file or folder at ${file}, found none.`, { cause })
    throw cause
  }
}

function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unknown(file, "no text in UTF-8", cause)
  }
}

/** The JSON of an editor's settings, which may have comments, and commas before brackets that close. "" for a text that is longer. */
function withoutComments(text: string): string {
  if (text.length > 1_000_000 || !/^\s*[[{/]/.test(text)) return ""
  const piece = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g
  const comma = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)|,(?=\s*[}\]])/g
  return [piece, comma].reduce((all, out) => all.replace(out, (found) => (found.startsWith('"') ? found : " ")), text)
}

function isCardJson(json: Readonly<Record<string, unknown>>): boolean {
  if (typeof json.spec === "string" && json.spec.startsWith("chara_card")) return true
  if (typeof json.char_name === "string" && ["char_persona", "char_greeting"].some((name) => name in json)) return true
  return typeof json.name === "string" && ["description", "first_mes", "mes_example", "personality"].some((name) => name in json)
}

/** True for a lorebook of V3, for one in the form of a card's, and for a world file of SillyTavern, whose entries are an object. */
function isLorebookJson(json: Readonly<Record<string, unknown>>): boolean {
  if (json.spec === "lorebook_v3" || isAgnaiBook(json) || isNovelBook(json)) return true
  const isEntry = (entry: unknown) => isRecord(entry) && ("key" in entry || "keys" in entry)
  const { entries } = json
  return typeof entries === "object" && entries !== null && json.data === undefined && Object.values(entries).some(isEntry)
}

const kinds =
  "a character card (.png, .charx, .json), a lorebook (.json, .md), a chat (.jsonl), preset or template (.json) of SillyTavern, a workspace of OpenClaw, an AGENTS.md, or settings of MCP servers (mcpServers, context_servers)"

function unknown(file: string, found: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("usage", `expected ${kinds} at ${file}, found ${found}.`, { hint: "Nothing was written.", cause })
}
