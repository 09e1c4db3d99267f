import { spawn } from "node:child_process"
import { PassThrough } from "node:stream"
import type { CliIo } from "../../src/apps/cli/io.ts"
import { childEnv } from "./child-env.ts"
import { root } from "./source-files.ts"

/** What a run of the real program left behind. */
export interface ProgramRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How a program is run: nothing of this process's environment but what Node needs reaches it. */
export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  /** What stands on its stdin. */
  readonly input?: string
  readonly cwd?: string
  /** Called with all of stdout so far, each time there is more. */
  readonly onStdout?: (soFar: string, child: ReturnType<typeof spawn>) => void
}

/** Runs `promptstrata` from source in a process of its own, to its end. Nothing is kept unless `env` says otherwise. */
export function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramRun> {
  const { env = {}, input = "", cwd, onStdout } = options
  const child = spawn(process.execPath, [`${root}src/apps/cli/main.ts`, ...args], {
    env: childEnv({ PROMPTSTRATA_STORE: "none", ...env }),
    ...(cwd === undefined ? {} : { cwd }),
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    onStdout?.(stdout, child)
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  // A program that ended before it read its input.
  child.stdin.on("error", () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
}

/** The surroundings of a program run in this process. */
export interface FakeTerminal {
  readonly io: CliIo
  /** All that was written, stdout and stderr apart. */
  readonly written: { readonly stdout: string; readonly stderr: string }
  /** Types at the keyboard, or writes into the pipe. */
  type(text: string): void
  /** Ends the input: the end of a pipe. */
  end(): void
  /** Sends the signal of Ctrl-C. */
  interrupt(): void
  /** Sends SIGTERM. */
  terminate(): void
  /** Resolves once stdout holds `text`, `count` times. */
  shows(text: string, count?: number): Promise<void>
}

interface TerminalOptions {
  readonly terminal?: boolean
  readonly columns?: number
  readonly env?: CliIo["env"]
}

/** A terminal, or with `terminal: false` pipes. */
export function fakeTerminal({ terminal = true, columns = 80, env = {} }: TerminalOptions = {}): FakeTerminal {
  const tty = { isTTY: terminal, columns }
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((s) => Object.assign(s, tty))
  if (!stdin || !stdout || !stderr) throw new Error("three streams")
  const listeners = new Set<() => void>()
  const terminated = new Set<() => void>()
  const written = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  stdout.setEncoding("utf8").on("data", (text: string) => {
    written.stdout += text
    for (const look of [...waiting]) look()
  })
  stderr.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text
  })
  return {
    io: {
      stdin,
      stdout,
      stderr,
      env,
      onInterrupt(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      onTerminate(listener) {
        terminated.add(listener)
        return () => terminated.delete(listener)
      },
    },
    written,
    type: (text) => stdin.write(text),
    end: () => stdin.end(),
    interrupt: () => {
      for (const listener of [...listeners]) listener()
    },
    terminate: () => {
      for (const listener of [...terminated]) listener()
    },
    shows: (text, count = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (written.stdout.split(text).length <= count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** The lines of a text that are not empty, each read as JSON. */
export function jsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}
