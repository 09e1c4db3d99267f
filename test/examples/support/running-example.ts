import { spawn } from "node:child_process"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject, onTestFinished } from "vitest"
import { childEnv } from "../../support/child-env.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** A program of an example that runs as a process of its own. */
export interface RunningExample {
  /** Everything it wrote to stdout and stderr so far. */
  readonly written: { out: string; errors: string }
  /** Resolves once stdout holds the words; rejects if the program ends before. */
  shows(words: string): Promise<void>
  /** {@link shows} for stderr. */
  tells(words: string): Promise<void>
  /** Writes a line to its stdin. */
  type(line: string): void
  endInput(): void
  /** Sends what Ctrl-C sends. */
  interrupt(): void
  /** Resolves once it has ended. */
  readonly ended: Promise<ExampleEnd>
  /** Ends it as Ctrl-C does. */
  stop(): Promise<ExampleEnd>
}

/** The end of a program: its exit code, and everything it wrote to stderr. */
export interface ExampleEnd {
  readonly code: number | null
  readonly errors: string
}

/** A character without memory, so that a model is asked for answers alone. */
const character = 'extends = "layered"\nlocale = "en"\n[memory]\nenabled = false\n'

/** The folder of an example with its packages; undefined where the registry could not be reached. */
export function exampleFolder(name: string): string | undefined {
  return inject("examples")[name]
}

/** What an example is started with. */
export interface ExampleStart {
  /** The program, with its folder. */
  readonly program: readonly [folder: string, file: string, ...args: readonly string[]]
  readonly env: Readonly<Record<string, string>>
  /** The folder in which it runs and keeps its data. Default: a new one. */
  readonly cwd?: string
}

/** A new folder with the character of the tests, whose profile has `more` tables. */
export function homeOfExample(more = ""): string {
  return tempFolder({ "bot.toml": character + more })
}

/** A home whose character has a tool that needs approval. Each of its runs adds a line to the file `paid`. */
export function homeWithPay(): string {
  const cwd = homeOfExample('[plugins]\nenabled = ["./pay.mjs"]\n')
  const tool = `{ name: "pay", description: "Pays.", inputSchema: z.object({}), needsApproval: true, execute }`
  const lines = [
    `import { appendFileSync } from "node:fs"`,
    `import { defineTool } from ${JSON.stringify(`${root}src/index.ts`)}`,
    `import { z } from ${JSON.stringify(import.meta.resolve("zod"))}`,
    `const execute = () => (appendFileSync(${JSON.stringify(join(cwd, "paid"))}, "once\\n"), "paid")`,
    `export default { name: "pay", tools: [defineTool(${tool})] }`,
  ]
  writeFileSync(join(cwd, "pay.mjs"), lines.join("\n"))
  return cwd
}

/** The command `promptstrata bot`, to be started in a home. */
export function botCommand(...args: readonly string[]): ExampleStart["program"] {
  return [root, "src/apps/cli/main.ts", "bot", ...args]
}

/** Gives a home the packages that an example installed. */
export function withPackages(cwd: string, folder: string): string {
  symlinkSync(join(folder, "node_modules"), join(cwd, "node_modules"))
  return cwd
}

/** Starts a program of an example over the library's source. */
export function startExample({ program: [folder, file, ...more], env, cwd = homeOfExample() }: ExampleStart): RunningExample {
  const args = ["--import", `${root}test/support/resolve-to-source.ts`, join(folder, file), ...more]
  const own = { OPENAI_API_KEY: "key", PROFILE: "./bot.toml" }
  const child = spawn(process.execPath, args, { cwd, env: childEnv({ ...own, ...env }) })
  const written = { out: "", errors: "" }
  const waiting = new Set<() => void>()
  const note = (of: "out" | "errors") => (piece: Buffer) => {
    written[of] += piece.toString()
    for (const check of waiting) check()
  }
  child.stdout.on("data", note("out"))
  child.stderr.on("data", note("errors"))
  const ended = new Promise<ExampleEnd>((resolve) => {
    child.once("close", (code) => resolve({ code, errors: written.errors }))
  })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const holds = (of: "out" | "errors") => (words: string) =>
    new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!written[of].includes(words)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
      void ended.then(({ code }) => reject(new Error(`${file} ended with ${code}: ${written.out}${written.errors}`)))
    })
  return {
    written,
    shows: holds("out"),
    tells: holds("errors"),
    type: (line) => void child.stdin.write(`${line}\n`),
    endInput: () => void child.stdin.end(),
    interrupt: () => void child.kill("SIGINT"),
    ended,
    stop() {
      child.kill("SIGINT")
      return ended
    },
  }
}
