import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createAgent } from "../../src/agent/agent.ts"
import type { LanguageModel } from "../../src/model/language-model.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { type ProfileWatch, watchProfile } from "../../src/node/profile/watch-profile.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMs, formatMs, median } from "./measure.ts"

const skills = 50
const runs = 15
const starts = 200

/** CPU of loading a profile with skills and plugins, and of a session that begins while nothing changed; the gates count files and loads. */
export async function run(): Promise<BenchResult> {
  const folder = characterFolder(skills)
  const larger = characterFolder(2 * skills)
  try {
    const loadMs: number[] = []
    const watchMs: number[] = []
    for (let i = 0; i < runs; i++) {
      loadMs.push(await cpuMs(() => loadProfile(`${folder}/mei.toml`, { env: {} })))
      watchMs.push(await cpuMs(() => watchProfile(`${folder}/mei.toml`, { env: {} })))
    }
    const coldMs = Array.from({ length: 7 }, () => firstLoadMs(`${folder}/mei.toml`))
    const watch = await watchProfile(`${folder}/mei.toml`, { env: {} })
    const agent = createAgent({ profile: watch, model: silent })
    const { profile } = watch
    const startMs = await cpuMs(() => {
      for (let i = 0; i < starts; i++) agent.session(`s${i}`)
    })
    const more = (await watchProfile(`${larger}/mei.toml`, { env: {} })).files.length - watch.files.length
    return {
      title: `Profiles (${skills} skills, 3 plugins, ${watch.files.length} paths; median of ${runs})`,
      rows: [
        { what: "loadProfile, the first of a process", CPU: formatMs(median(coldMs)), bound: "50 ms" },
        { what: "loadProfile", CPU: formatMs(median(loadMs)), bound: "50 ms" },
        { what: "watchProfile", CPU: formatMs(median(watchMs)), bound: "" },
        { what: `a session's start, nothing changed, of ${starts}`, CPU: formatMs(startMs / starts), bound: "2 ms" },
      ],
      gates: [
        { name: "a skill costs two paths: its folder and its file", ok: more === 2 * skills, detail: `${more} for ${skills}` },
        startsRead(watch, profile),
      ],
    }
  } finally {
    for (const each of [folder, larger]) rmSync(each, { recursive: true, force: true })
  }
}

/** In a process of its own, the import of the library not counted. */
function firstLoadMs(path: string): number {
  const module = new URL("../../src/node/profile/load-profile.ts", import.meta.url).href
  const script = `const { loadProfile } = await import(${JSON.stringify(module)})
    const before = process.cpuUsage()
    await loadProfile(${JSON.stringify(path)}, { env: {} })
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / 1000)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
  if (status !== 0) throw new Error(`loading ${path} failed:\n${stderr}`)
  return Number(stdout)
}

function startsRead(watch: ProfileWatch, before: ProfileWatch["profile"]): BenchResult["gates"][number] {
  return {
    name: "a session's start loads nothing while nothing changed",
    ok: watch.current() === before && watch.profile === before,
    detail: watch.profile === before ? `the same profile after ${starts}` : "another profile",
  }
}

/** A character with so many skills and three plugins, whose files are a day old. */
function characterFolder(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const names = ["tool", "hook", "skill"]
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    utimesSync(join(folder, path), yesterday, yesterday)
  }
  write(
    "mei.toml",
    `extends = "layered"\n[skills]\nfolders = ["./skills"]\n[plugins]\nenabled = ${JSON.stringify(names.map((name) => `./${name}.mjs`))}\n`,
  )
  write("tool.mjs", "export const plugin = { name: 'tool', tools: [{ name: 't', description: 'd', execute() {} }] }")
  write("hook.mjs", "export const plugin = () => ({ name: 'hook', hooks: [{ name: 'h', beforeTurn() {} }] })")
  write("skill.mjs", "export const plugin = { name: 'skill', skills: [{ name: 's', description: 'd', content: 'c' }] }")
  for (let i = 0; i < count; i++)
    write(
      `skills/skill-${i}/SKILL.md`,
      `---\nname: skill-${i}\ndescription: What it is for.\n---\n${"Do it well.\n".repeat(100)}`,
    )
  return folder
}

const yesterday = Date.now() / 1_000 - 86_400

const silent: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: false },
  async *stream() {
    yield { type: "finish", reason: "stop" }
  },
}
