import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { runCli } from "../../src/apps/cli/run-cli.ts"
import type { Clock, IdGenerator } from "../../src/core/ports.ts"
import { readMoment } from "../../src/memory/services/recall/time/local-time.ts"
import type { ManualTimers } from "../../src/testing/index.ts"
import { type CodeBlock, codeBlocksIn } from "./code-blocks.ts"
import { root } from "./source-files.ts"

/** A line that a person types, or a time that passes, behind so many of the lines that are shown. */
interface PageAct {
  readonly typed?: string
  readonly passMs?: number
  readonly after: number
}

/** A command of a page with what a person does while it runs and what the page shows of its output. */
export interface PageCommand {
  readonly command: string
  readonly acts: readonly PageAct[]
  /** Lines in order; `…` stands for any text in a line, and for any lines if it is one. */
  readonly shown: readonly string[]
  readonly line: number
}

/** The commands of a `console` block: `$ ` begins a command, `> ` a line that a person types, `# ` the time that passes, such as `# 10 minutes later`. */
export function commandsIn({ text, line }: CodeBlock): PageCommand[] {
  const commands: { command: string; acts: PageAct[]; shown: string[]; line: number }[] = []
  for (const [at, each] of text.split("\n").entries()) {
    const last = commands.at(-1)
    if (each.startsWith("$ ")) commands.push({ command: each.slice(2), acts: [], shown: [], line: line + at })
    else if (last === undefined) throw new Error(`line ${line + at}: a console block begins with a command`)
    else if (each.startsWith("> ")) last.acts.push({ typed: each.slice(2), after: last.shown.length })
    else if (each.startsWith("# ")) last.acts.push({ passMs: spanOf(each.slice(2), line + at), after: last.shown.length })
    else last.shown.push(each)
  }
  return commands
}

function spanOf(text: string, line: number): number {
  const moment = readMoment(text, { nowMs: 0 })
  if (typeof moment !== "object")
    throw new Error(`line ${line}: expected a time that passes, such as 10 minutes later, found ${text}`)
  return moment.atMs
}

/** The commands, changes of files and files of a page, in order. */
export function stepsOf(page: string): CodeBlock[] {
  const isStep = ({ language, file }: CodeBlock) => language === "console" || language === "diff" || file?.endsWith(".json")
  return codeBlocksIn(readFileSync(root + page, "utf8")).filter(isStep)
}

/** Does a `diff` block in `folder`: its first line names the file, each `+` line goes behind the lines above it, each `-` line away. */
export function applyDiff({ text, line }: CodeBlock, folder: string): void {
  const [name = "", ...lines] = text.split("\n")
  const path = join(folder, name.replace(/^\+\+\+ /, ""))
  const before = lines.filter((each) => !each.startsWith("+")).map((each) => each.slice(1))
  const after = lines.filter((each) => !each.startsWith("-")).map((each) => each.slice(1))
  const text0 = before.length === 0 ? "" : readFileSync(path, "utf8")
  if (before.length > 0 && !text0.includes(before.join("\n"))) throw new Error(`line ${line}: ${path} does not hold these lines`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, before.length === 0 ? `${after.join("\n")}\n` : text0.replace(before.join("\n"), () => after.join("\n")))
}

/** A person at a shell: a folder, a language, and a clock, timers and ids that go on from one command to the next. */
export interface PageReader {
  readonly cwd: string
  readonly lang: string
  readonly ports: { readonly clock: Clock; readonly timers: ManualTimers; readonly ids: IdGenerator }
}

/** Runs a command of the program in a folder; stdout and stderr come together, as a terminal shows them. */
export async function runCommand(args: readonly string[], { acts, shown }: PageCommand, { cwd, lang, ports }: PageReader) {
  let output = ""
  let look = (): void => undefined
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: false, columns: 100 })
  stream.on("data", (text: string) => {
    output += text
    look()
  })
  const hasShown = (lines: readonly string[]) =>
    new Promise<void>((resolve) => {
      look = () => {
        const whole = output.slice(0, output.lastIndexOf("\n"))
        if (missingLine(lines, whole) === undefined) resolve()
      }
      look()
    })
  async function* person() {
    let hasPassed = false
    for (const { typed, passMs, after } of acts) {
      // What is typed without a pause may come before earlier answers; time passes, and what follows is typed, when they are there.
      if (hasPassed || passMs !== undefined) await hasShown(shown.slice(0, after))
      if (passMs !== undefined && missingLine(shown, output) === undefined)
        throw new Error(`all is shown before it is time: ${output}`)
      if (passMs !== undefined) ports.timers.advance(passMs)
      hasPassed ||= passMs !== undefined
      if (typed !== undefined) yield `${typed}\n`
    }
    if (hasPassed) await hasShown(shown)
  }
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const stdin = Readable.from(person())
    const io = { stdin, stdout: stream, stderr: stream, env: { LANG: lang }, onInterrupt: () => () => undefined }
    const code = await runCli(args, io, { ports, storeTime: { clock: ports.clock, timers: ports.timers } })
    return { code, output }
  } finally {
    process.chdir(before)
  }
}

/** The first shown line that the output does not have behind those before it; undefined if it has all of them. */
export function missingLine(shown: readonly string[], output: string): string | undefined {
  const lines = output.split("\n").map((line) => line.trimEnd())
  let at = 0
  let anywhere = false
  for (const line of shown) {
    if (line === "…") {
      anywhere = true
      continue
    }
    const pattern = new RegExp(`^${line.trimEnd().split("…").map(RegExp.escape).join(".*")}$`)
    const found = anywhere ? lines.findIndex((each, i) => i >= at && pattern.test(each)) : pattern.test(lines[at] ?? "") ? at : -1
    if (found < 0) return line
    at = found + 1
    anywhere = false
  }
  return undefined
}
