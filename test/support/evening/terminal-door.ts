import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { runCli } from "../../../src/apps/cli/run-cli.ts"
import { picture } from "../../examples/support/picture.ts"
import { root } from "../source-files.ts"
import { tempFolder } from "../temp-folder.ts"
import { type FakeTerminal, fakeTerminal } from "../terminal.ts"
import type { Door, Life } from "./life.ts"

const profile = `
extends = "layered"
locale = "en"
time_zone = "UTC"
[memory]
enabled = false
[tools]
enabled = ["current_time", "read", "add_schedule"]
while_asked = "wait"
[files]
folder = "."
[plugins]
enabled = ["./pay.mjs"]
`

/** The tool of the evening as a plugin of a file, which notes each payment in the file `paid`. */
const payIn = (folder: string) => `
import { appendFileSync } from "node:fs"
import { defineTool } from ${JSON.stringify(`${root}src/index.ts`)}
import { z } from ${JSON.stringify(import.meta.resolve("zod"))}
const execute = ({ to }) => (appendFileSync(${JSON.stringify(join(folder, "paid"))}, to + "\\n"), "paid")
const tool = { name: "pay", description: "Sends money.", needsApproval: true, inputSchema: z.object({ to: z.string() }), execute }
export default { name: "pay", tools: [defineTool(tool)] }
`

/** The program `chat` behind a pipe, with a store in a folder. A photo is a file that the character's tool `read` looks into. */
export function terminalDoor({ next, paid }: Life): Door & { idle(): Promise<void> } {
  const folder = tempFolder({ "a.toml": profile })
  writeFileSync(join(folder, "pay.mjs"), payIn(folder))
  writeFileSync(join(folder, "cat.png"), picture)
  const seen: string[] = []
  const start = (): FakeTerminal & { readonly code: Promise<number> } => {
    const { model, ports } = next()
    const fake = fakeTerminal({ terminal: false, columns: 200, env: { LANG: "en_US.UTF-8" } })
    const { clock, timers } = ports
    const code = runCli(["chat", join(folder, "a.toml"), "--data-dir", join(folder, "data")], fake.io, {
      ...{ ports, storeTime: { clock, timers }, chooseModel: () => ({ model, demo: false }) },
    })
    return { ...fake, code }
  }
  let terminal = start()
  let [out, aside] = [0, 0]
  /** Waits for an answer, or for a call that waits, behind what was shown before. */
  const look = async (): Promise<void> => {
    const shown = () => {
      const answer = terminal.written.stdout.slice(out)
      const call = /waits for your consent: (.*?);/.exec(terminal.written.stderr.slice(aside))?.[1]
      return answer.endsWith("\n") ? answer.trim() : call
    }
    const ended = terminal.code.then((code) => Promise.reject(new Error(`chat ended with ${code}: ${terminal.written.stderr}`)))
    await Promise.race([expect.poll(shown).toBeDefined(), ended])
    seen.push(shown() ?? "")
    out = terminal.written.stdout.length
    aside = terminal.written.stderr.length
  }
  const type = async (line: string): Promise<void> => {
    terminal.type(`${line}\n`)
    await look()
  }
  let waits = false
  return {
    showPhoto: (words) => type(`${words} It is in cat.png.`),
    say: type,
    async restart() {
      terminal.end()
      expect(await terminal.code).toBe(0)
      terminal = start()
      out = aside = 0
    },
    async allow() {
      await type("/approve")
      paid.push(...readFileSync(join(folder, "paid"), "utf8").trim().split("\n"))
    },
    again: () => type("/regenerate"),
    seen: () => seen,
    /** Time passes between two calls; the reminder rings by itself. */
    async idle() {
      if (waits) await look()
      waits = !waits
    },
  }
}
