import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { childEnv } from "../../../../support/child-env.ts"

/** A script of this folder in a process of its own. It is killed at the end of the test. */
export interface Child {
  readonly process: ChildProcess
  /** The lines it has written so far. */
  readonly lines: readonly string[]
  /** Waits for a new line that begins with `start`; rejects if the child ends before. */
  until(start: string): Promise<string>
  /** The exit code, or the signal that ended it. It settles when `lines` is complete. */
  readonly ended: Promise<number | string>
}

/** Starts `<name>.ts` with its settings as one JSON argument. */
export function startChild(name: string, settings: unknown): Child {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: childEnv(),
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const output = createInterface({ input: child.stdout })
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  output.on("line", (line) => {
    lines.push(line)
    wake()
  })
  let isOver = false
  const ended = Promise.all([once(child, "exit"), once(output, "close")]).then(([[code, signal]]) => {
    isOver = true
    wake()
    return (code ?? signal) as number | string
  })
  return {
    process: child,
    lines,
    ended,
    until: (start) => {
      const from = lines.length
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.slice(from).find((line) => line.startsWith(start))
          if (found === undefined && !isOver) return
          waiting.delete(look)
          if (found === undefined) reject(new Error(`the child ended without writing ${JSON.stringify(start)}`))
          else resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
  }
}
