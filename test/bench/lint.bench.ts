import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lint } from "../../src/lint/lint.ts"
import { readLintFiles } from "../../src/node/lint/read-lint-files.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const files = 500
const runs = 5
/** Linting a profile's files to loading them: more than is measured, and less than twice as much. */
const most = 3

/** CPU of `promptstrata lint` over a prompts folder of 500 files, beside loading them; the other gates are how often a file is read and what is found. */
export async function run(): Promise<BenchResult> {
  const folder = fs.mkdtempSync(join(tmpdir(), "promptstrata-lint-"))
  try {
    writeProject(folder)
    const profile = join(folder, "profiles", "luna.toml")
    const reads = countReads(folder)
    let found = 0
    let perFile: readonly number[] = []
    const linting = async () => {
      reads.counts.clear()
      found = lint(await readLintFiles({ profiles: [profile] })).filter(({ rule }) => rule === "white-space").length
      perFile = [...reads.counts].filter(([path]) => path.includes("/prompts/")).map(([, count]) => count)
    }
    const times = await mediansInTurn([linting, () => loadProfile(profile)], { warmUps: 1, rounds: runs, holds: isWithin(most) })
    const [ownMs = Number.NaN, loadMs = Number.NaN] = times
    reads.stop()
    const oftenest = Math.max(...perFile)
    return {
      title: `Linting ${files} prompt files (${runs} times)`,
      rows: [
        { what: "linting", CPU: formatMs(ownMs), "beside loading": formatRatio(ownMs, loadMs) },
        { what: "loading the profile", CPU: formatMs(loadMs), "beside loading": "" },
      ],
      gates: [
        ratioGate("linting, beside loading the profile", times, most),
        { name: "every file is read", ok: perFile.length === files, detail: `${perFile.length} of ${files}` },
        {
          name: "no file is read more than twice: once alone, once with its profile",
          ok: oftenest <= 2,
          detail: `at most ${oftenest} times`,
        },
        { name: "what is wrong in every tenth file is found", ok: found === files / 10, detail: `${found} problems` },
      ],
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** A dialect of entry files, all named by slots of its planner, beside a profile that lays it over. */
function writeProject(folder: string): void {
  const names = Array.from({ length: files - 2 }, (_, at) => `list_${at}`)
  const slots = names.map((name) => `\${${name}}`).join("\n")
  const body = `\${speaker}: \${text | fence}\n${"Some more words that stand in every one of the files.\n".repeat(20)}`
  const texts: Readonly<Record<string, string>> = {
    "profiles/luna.toml": 'locale = "en"\n[prompt]\nfolder = "../prompts"\ndialect = "mine"\npersona = "luna"\n',
    "prompts/characters/en/luna.md": 'You are Luna, kind and brief in what you say. You call the user "my friend".\n',
    "prompts/mine/en/planner.md": `\${role(system)}\n\${persona}\n\${tools}\n\${role(user)}\n\${history}\n\${runs}\n${slots}\n\${rest}\n\${question}\n`,
    ...Object.fromEntries(names.map((name, at) => [`prompts/mine/en/${name}.md`, at % 10 === 0 ? `${body}end \n` : body])),
  }
  for (const [path, text] of Object.entries(texts)) {
    fs.mkdirSync(join(folder, path, ".."), { recursive: true })
    fs.writeFileSync(join(folder, path), text)
  }
}

/** Counts how often each file inside a folder is read. */
function countReads(folder: string): { readonly counts: Map<string, number>; stop(): void } {
  const counts = new Map<string, number>()
  const { readFileSync } = fs
  const counting = (path: fs.PathOrFileDescriptor, ...rest: unknown[]): unknown => {
    if (String(path).startsWith(folder)) counts.set(String(path), (counts.get(String(path)) ?? 0) + 1)
    return (readFileSync as (...given: unknown[]) => unknown)(path, ...rest)
  }
  const replace = (read: unknown): void => {
    Object.assign(fs, { readFileSync: read })
    syncBuiltinESMExports()
  }
  replace(counting)
  return { counts, stop: () => replace(readFileSync) }
}
