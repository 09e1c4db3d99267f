import { readFileSync } from "node:fs"
import { messageOf } from "../../../src/core/errors.ts"
import { aiSdk } from "./turns/ai-sdk.ts"
import { langchain } from "./turns/langchain.ts"
import type { Looper } from "./turns/looper.ts"
import { mastra } from "./turns/mastra.ts"
import { openaiAgents } from "./turns/openai-agents.ts"
import { ours } from "./turns/ours.ts"

const installedForBench: Readonly<Record<string, (version: string) => Promise<readonly Looper[]>>> = {
  "@openai/agents": openaiAgents,
  langchain,
  "@mastra/core": mastra,
}

/** This library, then the AI SDK, which is there without peers too, then the others that are installed, and a line for each that is not. */
export async function loadLoopers({ peers }: { readonly peers: boolean }): Promise<{
  readonly loopers: readonly Looper[]
  readonly skipped: readonly string[]
}> {
  const loopers = [ours(versionIn("../../../package.json")), ...(await aiSdk(versionIn("../../../node_modules/ai/package.json")))]
  const skipped: string[] = []
  for (const [name, load] of Object.entries(peers ? installedForBench : {})) {
    try {
      loopers.push(...(await load(versionIn(`../node_modules/${name}/package.json`))))
    } catch (thrown) {
      skipped.push(`${name} is skipped: ${messageOf(thrown).split("\n")[0]}`)
    }
  }
  return { loopers, skipped }
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { version: string }).version
}
