import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../src/loop/agent/agent-options.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { countingIds, manualClock, seededRandom } from "../../src/testing/index.ts"
import { type BackgroundAnswers, backgroundModel } from "./remembering.ts"
import { tempFolder } from "./temp-folder.ts"

/** The answer of a model that learns. */
export function learnt(notes: readonly string[], profile: Readonly<Record<string, string>> = {}, importance = 8): string {
  return JSON.stringify({ importance, notes, profile })
}

/** An agent whose documents are its one memory, over a folder; with `folder`, over one that is there already. */
export async function learningAgent(
  answers: BackgroundAnswers,
  given: Omit<Partial<AgentOptions>, "store"> & {
    readonly store?: Store
    readonly folder?: string
    readonly files?: Readonly<Record<string, string>>
    readonly settings?: string
    readonly locale?: string
  } = {},
) {
  const { folder = tempFolder(), files = {}, settings = "", locale = "en", ...options } = given
  const clock = manualClock(Date.UTC(2026, 2, 4, 10))
  const bot = tempFolder({ "bot.toml": `extends = "soul"\n[memory]\nstore = "documents"\n${settings}` })
  for (const [path, text] of Object.entries(files)) await writeInto(folder, path, text)
  const profile = await loadProfile(join(bot, "bot.toml"), { locale, dataFolder: folder, clock })
  const model = backgroundModel(answers)
  const store = options.store ?? createInMemoryStore()
  const warnings: string[] = []
  const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message)
  const ports = { clock, ids: countingIds(), random: seededRandom(1) }
  const agent = createAgent({ profile, model, store, onWarning, ports, ...options })
  const say = async (text: string, user = "user", conversation = user) => {
    const { trace } = await agent.session(conversation).send(text, { from: { id: user, name: user } }).result
    await agent.idle()
    clock.advance(60_000)
    return trace
  }
  return { folder, profile, model, store, warnings, agent, clock, say, read: (path: string) => readDocument(folder, path) }
}

async function writeInto(folder: string, path: string, text: string): Promise<void> {
  const { mkdirSync, writeFileSync } = await import("node:fs")
  mkdirSync(join(folder, "workspace"), { recursive: true })
  writeFileSync(join(folder, "workspace", path), text)
}

/** A document as it stands on the disk; undefined if there is none. */
export function readDocument(folder: string, path: string): string | undefined {
  const file = join(folder, "workspace", path)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** The files below a folder that hold a text, the history of the documents included. */
export function filesWith(folder: string, text: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
  return files.filter((file) => readFileSync(file).includes(text)).map((file) => file.slice(folder.length + 1))
}
