import { createInterface } from "node:readline"
import type { CliContext } from "./context.ts"

/** Puts a question and reads one line, outside a conversation. Empty where the input ends; rejects when the signal aborts. */
export function askLine({ io, screen, interrupts }: CliContext, prompt: string, signal: AbortSignal): Promise<string> {
  const editor = createInterface({ input: io.stdin, output: screen.aside, terminal: screen.aside.isTTY === true })
  editor.on("SIGINT", interrupts.press)
  return new Promise<string>((resolve, reject) => {
    editor.on("close", () => resolve(""))
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    editor.question(prompt, { signal }, resolve)
  }).finally(() => editor.close())
}
