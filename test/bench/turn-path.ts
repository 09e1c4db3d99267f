import { readFileSync } from "node:fs"
import { type Profiler, Session } from "node:inspector/promises"
import { fileURLToPath } from "node:url"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"

/** The functions of one file of `src/` that a turn ran. */
export interface RunFile {
  /** Relative to `src/`, such as `turn/run-turn.ts`. */
  readonly file: string
  /** Lines of the file. */
  readonly lines: number
  readonly functions: readonly { readonly name: string; readonly calls: number; readonly lines: number }[]
}

const warmUpTurns = 12
const source = new URL("../../src/", import.meta.url).href

/**
 * The path of one warm plain turn of the shipped profile `fay` on the in-memory store: every function of `src/` that runs from
 * `send` to the end of what follows the turn, by V8's precise coverage. A function counts once, however often it is called.
 */
export async function turnPath(): Promise<readonly RunFile[]> {
  const agent = createAgent({ profile: await loadProfile("fay"), model: greeting(), store: createInMemoryStore() })
  const session = agent.session("path")
  const turn = async (question: string): Promise<void> => {
    const sent = session.send(question)
    for await (const _ of sent.textStream);
    const result = await sent.result
    if (!result.ok) throw result.error
    await agent.idle()
  }
  for (let i = 0; i < warmUpTurns; i++) await turn(`今天第${i}次打招呼`)
  const path = await coverage(() => turn("你好，今天过得怎么样？"))
  await agent.close()
  return path
}

/** The calls of functions of `src/` that some work makes. */
export async function callsOf(work: () => Promise<void>): Promise<number> {
  let calls = 0
  for (const { functions } of await coverage(work)) for (const one of functions) calls += one.calls
  return calls
}

async function coverage(run: () => Promise<void>): Promise<readonly RunFile[]> {
  const session = new Session()
  session.connect()
  try {
    await session.post("Profiler.enable")
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    await session.post("Profiler.takePreciseCoverage")
    await run()
    const { result } = (await session.post("Profiler.takePreciseCoverage")) as Profiler.TakePreciseCoverageReturnType
    return result.flatMap(({ url, functions }) => runFile(url, functions))
  } finally {
    session.disconnect()
  }
}

/** The coverage of a module without its body, which ran when it was loaded. */
function runFile(url: string, functions: readonly Profiler.FunctionCoverage[]): RunFile[] {
  if (!url.startsWith(source)) return []
  const path = fileURLToPath(url)
  const text = readFileSync(path, "utf8")
  const run = functions.flatMap(({ functionName, ranges: [whole] }) => {
    if (whole === undefined || whole.count === 0 || whole.startOffset === 0) return []
    return [{ name: functionName, calls: whole.count, lines: linesOf(text.slice(whole.startOffset, whole.endOffset)) }]
  })
  return run.length === 0 ? [] : [{ file: path.slice(fileURLToPath(source).length), lines: linesOf(text), functions: run }]
}

function linesOf(text: string): number {
  return text.trimEnd().split("\n").length
}

function greeting(): LanguageModel {
  return {
    id: "greeting",
    capabilities: { developerRole: false, tools: false },
    async *stream() {
      for (const delta of ['{"action":"fin', 'ish","message":"', "你好", "，很好。", '"}']) yield { type: "text-delta", delta }
      yield { type: "finish", reason: "stop" }
    },
  }
}
