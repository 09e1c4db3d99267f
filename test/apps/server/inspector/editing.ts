import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { watchProfile } from "../../../../src/node/profile/watch-profile.ts"
import { manualClock, type ScriptedAnswer, scriptedModel } from "../../../../src/testing/index.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

/** The persona before any edit. */
export const persona = "---\nname: Luna\n---\nYou are calm.\n"

/** An agent of a profile on the disk, whose page edits its files. */
export async function editing(answers: readonly ScriptedAnswer[] = [], texts: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder({
    "profiles/luna.toml": '[prompt]\ndialect = "layered"\npersona = "luna"\n[memory]\nenabled = false\n',
    "prompts/characters/en/luna.md": persona,
    ...texts,
  })
  const quiet = { onWarning: () => undefined, onProblem: () => undefined }
  const watch = await watchProfile(join(folder, "profiles/luna.toml"), { locale: "en", ...quiet })
  const shared = { model: scriptedModel(answers), store: createInMemoryStore(), ports: { clock: manualClock() } }
  const agent = createAgent({ ...shared, profile: watch })
  const files = watch.promptFiles
  const made = inspector(agent, {
    ...{ chat: true, files, prices: { scripted: { input: 10, cacheRead: 1, output: 20 } } },
    variant: async (change) => createAgent({ ...shared, profile: await files.load(change), runJobs: false }),
  })
  const fetch = (path: string, body?: unknown, headers = {}) =>
    made.fetch(
      new Request(`http://127.0.0.1:1/${made.token}/api/${path}`, {
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        headers,
      }),
    )
  const ask = async <T>(path: string, body?: unknown) => {
    const response = await fetch(path, body)
    return { status: response.status, ...((await response.json()) as T & { problem?: { message: string; source?: object } }) }
  }
  const path = join(folder, "prompts/characters/en/luna.md")
  const text = () => readFileSync(path, "utf8")
  const say = async (words: string) => (await agent.session("test").send(words).result).trace.turnId
  return { folder, watch, agent, made, fetch, ask, path, text, say }
}
