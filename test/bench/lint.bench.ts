import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lint } from "../../src/lint/lint.ts"
import { readLintFiles } from "../../src/node/lint/read-lint-files.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMs, formatMs, median } from "./measure.ts"

const files = 500
const runs = 5

/** CPU of `promptstrata lint` over a prompts folder of 500 files; the gates are how often a file is read and what is found. */
export async function run(): Promise<BenchResult> {
  const folder = fs.mkdtempSync(join(tmpdir(), "promptstrata-lint-"))
  try {
    writeProject(folder)
    const profile = join(folder, "profiles", "luna.toml")
    const reads = countReads(folder)
    const times: number[] = []
    let found = 0
    let perFile: readonly number[] = []
    for (let i = 0; i < runs; i++) {
      reads.counts.clear()
      times.push(
        await cpuMs(async () => {
          found = lint(await readLintFiles({ profiles: [profile] })).length
        }),
      )
      perFile = [...reads.counts].filter(([path]) => path.includes("/prompts/")).map(([, count]) => count)
    }
    reads.stop()
    const most = Math.max(...perFile)
    return {
      title: `Linting ${files} prompt files (${runs} times)`,
      rows: [
        { what: "the first time in a process", CPU: formatMs(times[0] ?? Number.NaN) },
        { what: "median", CPU: formatMs(median(times)) },
        { what: "bound", CPU: "1000 ms" },
      ],
      gates: [
        { name: "every file is read", ok: perFile.length === files, detail: `${perFile.length} of ${files}` },
        {
          name: "no file is read more than twice: once alone, once with its profile",
          ok: most <= 2,
          detail: `at most ${most} times`,
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
