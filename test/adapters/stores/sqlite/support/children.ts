import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { childEnv } from "../../../../support/child-env.ts"

/** A script in a process of its own. It is killed at the end of the test. */
export interface Child {
  readonly process: ChildProcess
  /** The lines it has written so far. */
  readonly lines: readonly string[]
  /** Waits until `count` lines begin with `start`, or until the child has ended. */
  until(start: string, count?: number): Promise<void>
  /** The exit code, or the signal that ended it. It settles when `lines` is complete. */
  readonly ended: Promise<number | string>
}

/** Starts `<name>.ts` of this folder, or the script at a URL, with its settings as one JSON argument. */
export function startChild(name: string | URL, settings: unknown, nodeOptions: readonly string[] = []): Child {
  const script = fileURLToPath(typeof name === "string" ? new URL(`./${name}.ts`, import.meta.url) : name)
  const given = [...nodeOptions, script, JSON.stringify(settings)]
  const child = spawn(process.execPath, given, { stdio: ["ignore", "pipe", "inherit"], env: childEnv() })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const lines: string[] = []
  const changed = new EventTarget()
  const output = createInterface({ input: child.stdout })
  output.on("line", (line) => {
    lines.push(line)
    changed.dispatchEvent(new Event("line"))
  })
  let isOver = false
  const ended = Promise.all([once(child, "exit"), once(output, "close")]).then(([[code, signal]]) => {
    isOver = true
    changed.dispatchEvent(new Event("line"))
    return (code ?? signal) as number | string
  })
  return {
    process: child,
    lines,
    ended,
    async until(start, count = 1) {
      while (!isOver && lines.filter((line) => line.startsWith(start)).length < count) await once(changed, "line")
    },
  }
}

/** Kills a child after some turns of the event loop. */
export async function killAfter(child: Child, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  child.process.kill("SIGKILL")
  await child.ended
}
