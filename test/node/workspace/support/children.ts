import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { childEnv } from "../../../support/child-env.ts"

/** A script of this folder in its own process. The process ends with the test at the latest. */
export interface Child {
  readonly process: ChildProcess
  /** The lines that it writes. */
  readonly lines: AsyncIterable<string>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

/** Starts `<name>.ts` with arguments. */
export function startChild(name: string, args: readonly string[], options: SpawnOptions = {}): Child {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: childEnv(),
    ...options,
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  if (!child.stdout) throw new Error("a child without a standard output")
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string)
  return { process: child, lines: createInterface({ input: child.stdout }), ended }
}

/** All lines of a child, which must end without an error. */
export async function outputOf(child: Child): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of child.lines) lines.push(line)
  const code = await child.ended
  if (code !== 0) throw new Error(`a child ended with ${code}: ${lines.join("\n")}`)
  return lines
}
