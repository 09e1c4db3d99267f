import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { childEnv } from "../../../support/child-env.ts"
import { root } from "../../../support/source-files.ts"

const url = (path: string) => JSON.stringify(pathToFileURL(root + path).href)

/** Asks every route of a page whose agent had a turn, and prints the built-in modules that were loaded for it. */
const program = `
import { registerHooks } from "node:module"
const loaded = []
// The package has the page's files as text in the place of this module.
const page = "export const builtFile = () => ''"
registerHooks({
  load(url, context, next) {
    if (url.startsWith("node:")) loaded.push(url)
    return url.endsWith("/built-page.ts") ? { format: "module", source: page, shortCircuit: true } : next(url, context)
  },
})
const { createAgent } = await import(${url("src/loop/agent/agent.ts")})
const { resolveProfile } = await import(${url("src/profile/resolve.ts")})
const { createInMemoryStore } = await import(${url("src/memory/services/store/in-memory/in-memory-store.ts")})
const { inspector } = await import(${url("src/apps/server/inspector/index.ts")})
const model = {
  id: "brief",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "text-delta", delta: '{"action":"finish","message":"Yes."}' }
    yield { type: "finish", reason: "stop" }
  },
}
const agent = createAgent({ profile: resolveProfile(), model, store: createInMemoryStore(), onWarning: () => undefined })
const documents = { read: async () => ({ text: "", hash: "h" }), history: async () => [], undo: async () => undefined }
const made = inspector(agent, { chat: true, documents })
const { turnId } = (await agent.session("s").send("Hello").result).trace
const afterTurn = loaded.length
const ask = async (path, body) => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await made.fetch(new Request("http://127.0.0.1/" + made.token + "/" + path, init))
  if (path !== "api/live") await response.text()
  return path + " " + response.status
}
const answers = []
for (const path of ["", "page.js", "page.css", "api/info", "api/live", "api/turns", "api/documents"]) answers.push(await ask(path))
for (const path of ["", "/html", "/stored", "/growth", "/timeline"]) answers.push(await ask("api/turns/" + turnId + path))
answers.push(await ask("api/turns/" + turnId + "/preview", {}))
answers.push(await ask("api/documents/undo", { id: "1", hash: "h" }))
await made.forget(agent.session("s").key)
await made.close()
process.stdout.write(JSON.stringify({ ofPage: [...loaded.slice(afterTurn)], answers }))
process.exit(0)
`

test("an inspector that keeps nothing on the disk runs without Node.js: fetch loads no built-in module", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: childEnv(),
  })
  expect([status, status === 0 ? "" : stderr]).toEqual([0, ""])
  const { ofPage, answers } = JSON.parse(stdout) as { readonly ofPage: readonly string[]; readonly answers: readonly string[] }
  expect(answers.filter((answer) => !answer.endsWith(" 200"))).toEqual([])
  expect(answers.length).toBe(14)
  expect(ofPage).toEqual([])
})
