import { existsSync, lstatSync, readdirSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { plainName } from "../../../node/cards/card-persona.ts"
import { readTextFile } from "../../../node/read-text-file.ts"
import { displayPath } from "../../../node/shipped-files.ts"
import { type CharacterLocale, characterId } from "../commands/scaffold.ts"
import type { ImportedFiles, ImportSource } from "./imported-files.ts"

/** The files of a workspace of OpenClaw that are taken. */
const documents = ["SOUL.md", "USER.md", "MEMORY.md"]
/** Files that stand in every prompt, as skills. */
const agentsRule = { name: "agents", description: "The rules by which you work." }
const rules: Readonly<Record<string, typeof agentsRule>> = {
  "AGENTS.md": agentsRule,
  "TOOLS.md": { name: "tools", description: "Notes about the tools and the surroundings that you have." },
}
const others: Readonly<Record<string, string>> = {
  "HEARTBEAT.md": "nothing runs by itself; it lies in the workspace, and session.wake begins a turn in which it can be read.",
  "BOOTSTRAP.md": "it is for the first start of another program.",
  "BOOT.md": "it is for each start of another program.",
}

/** True for a folder with files of a workspace of OpenClaw. */
export function isWorkspace(folder: string): boolean {
  return ["IDENTITY.md", ...documents].some((name) => existsSync(join(folder, name)))
}

/**
 * A project of a workspace of OpenClaw: its living documents, with IDENTITY.md as a part of SOUL.md, its rules as skills that stand in
 * every prompt, and its daily notes in the folder of the file tools. Links are not followed.
 */
export function filesOfWorkspace(folder: string, locale: CharacterLocale): ImportedFiles {
  const [report, left]: [string[], string[]] = [[], []]
  const files = new Map<string, string>()
  const fileText = (path: string): string | undefined => textAt(folder, path, report)
  const identity = fileText("IDENTITY.md")
  const name = nameIn(identity ?? "") ?? nameIn(fileText("SOUL.md") ?? "")
  const id = characterId(name ?? "", resolve(folder))
  for (const document of documents) {
    const parts = [fileText(document), document === "SOUL.md" ? identity : undefined].filter((text) => text !== undefined)
    if (parts.length > 0) files.set(`workspace/${document}`, `${parts.map((text) => text.trim()).join("\n\n")}\n`)
  }
  if (identity !== undefined) report.push("IDENTITY.md: it is the end of SOUL.md now.")
  const skills = Object.entries(rules).flatMap(([file, skill]) => {
    const text = fileText(file)
    if (text === undefined || text.trim() === "") return []
    files.set(`prompts/skills/${skill.name}/SKILL.md`, skillFile(skill, text))
    report.push(
      `${file}: it is the skill ${skill.name}, which stands in every prompt. What it says about files and tools of another program does not hold here.`,
    )
    return [skill.name]
  })
  const notes = namesIn(join(folder, "memory")).filter((note) => note.endsWith(".md"))
  for (const note of notes) {
    const text = fileText(`memory/${note}`)
    if (text !== undefined) files.set(`workspace/memory/${note}`, text)
  }
  if (notes.length > 0)
    report.push(
      `memory/ (files: ${notes.length}): it lies in the workspace, where the tool read finds it. No prompt shows it by itself.`,
    )
  const heartbeat = fileText("HEARTBEAT.md")
  if (heartbeat !== undefined) files.set("workspace/HEARTBEAT.md", heartbeat)
  for (const found of namesIn(folder)) {
    if (Object.hasOwn(others, found)) report.push(`${found}: ${others[found]}`)
    else if (found !== "memory" && found !== "IDENTITY.md" && !documents.includes(found) && !Object.hasOwn(rules, found))
      left.push(found)
  }
  if (left.length > 0)
    report.push(`not taken: ${left.slice(0, 20).join(", ")}${left.length > 20 ? ` and ${left.length - 20} more` : ""}.`)
  files.set(`profiles/${id}.toml`, profileOf({ id, name: name ?? id, locale, skills }))
  return { name: id, what: `A workspace of OpenClaw: it is the profile ${id} now, in the dialect soul.`, files, report }
}

/** A project of an AGENTS.md: a skill that stands in every prompt, and a profile that has it. */
export function filesOfAgents(text: string, { file, locale }: ImportSource): ImportedFiles {
  const id = characterId("", resolve(file, ".."))
  const profile = `# From AGENTS.md. For a character, write its persona into [prompt].\n\nlocale = ${JSON.stringify(locale)}\n\n[agent]\nname = ${JSON.stringify(id)}\n\n[skills]\nfolders = ["../prompts/skills"]\n\n[plugins]\nenabled = ["memory"]\n`
  return {
    name: id,
    what: `An AGENTS.md: it is a skill now, which stands in every prompt of the profile ${id}.`,
    files: new Map([
      [`prompts/skills/${agentsRule.name}/SKILL.md`, skillFile(agentsRule, text)],
      [`profiles/${id}.toml`, profile],
    ]),
    report: [
      "AGENTS.md of folders further down: not looked for.",
      "What it says about commands and files of a project needs tools that do it.",
    ],
  }
}

function skillFile({ name, description }: { readonly name: string; readonly description: string }, text: string): string {
  return `---\nname: ${name}\ndescription: ${description}\nmode: inline\n---\n${text.trim()}\n`
}

interface NewProfile {
  readonly id: string
  readonly name: string
  readonly locale: CharacterLocale
  readonly skills: readonly string[]
}

function profileOf({ id, name, locale, skills }: NewProfile): string {
  return [
    `# From a workspace of OpenClaw. Talk: npx promptstrata chat ${id}. The prompt: npx promptstrata render ${id} --sections\n`,
    `extends = "soul"\nlocale = ${JSON.stringify(locale)}\n`,
    `[agent]\nname = ${JSON.stringify(name)}\n`,
    `[files]\nfolder = "../workspace" # SOUL.md, USER.md, MEMORY.md and the notes\n`,
    ...(skills.length === 0 ? [] : [`[skills]\nfolders = ["../prompts/skills"]\n`]),
  ].join("\n")
}

/** The name in a line such as `- **Name:** Claw`, without what a prompt could take for its own. */
function nameIn(text: string): string | undefined {
  const [, given = ""] = /^[ \t>*-]*\**(?:name|名字|名称)\**[ \t]*[:：]\**[ \t]*(.+)$/im.exec(text.slice(0, 20_000)) ?? []
  // A name that nobody chose yet is a remark in brackets.
  return /^[(（_]/.test(given.trim()) ? undefined : plainName(given) || undefined
}

function textAt(folder: string, path: string, report: string[]): string | undefined {
  const file = join(folder, path)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (stats.isFile()) return readTextFile(file, displayPath(file)).replace(/^\uFEFF/, "")
  report.push(`${basename(path)}: not taken, because it is no file of its own.`)
  return undefined
}

function namesIn(folder: string): string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .sort()
}
