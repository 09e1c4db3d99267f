import { readFileSync } from "node:fs"
import { messageOf } from "../../../src/core/errors.ts"
import type { Contestant } from "./contestant.ts"
import { langchain } from "./langchain.ts"
import { llamaindex } from "./llamaindex.ts"
import { mustache } from "./mustache.ts"
import { ours } from "./ours.ts"
import { promptTsx } from "./prompt-tsx.ts"

const peers: Readonly<Record<string, (version: string) => Promise<Contestant>>> = {
  "@vscode/prompt-tsx": promptTsx,
  "@langchain/core": langchain,
  "@llamaindex/core": llamaindex,
  mustache,
}

/** This library and the others that are installed, and a line for each that is not. */
export async function loadContestants(): Promise<{
  readonly contestants: readonly Contestant[]
  readonly skipped: readonly string[]
}> {
  const contestants = [ours(versionIn("../../../package.json"))]
  const skipped: string[] = []
  for (const [name, load] of Object.entries(peers)) {
    try {
      contestants.push(await load(versionIn(`../node_modules/${name}/package.json`)))
    } catch (thrown) {
      skipped.push(`${name} is skipped: ${messageOf(thrown).split("\n")[0]}`)
    }
  }
  return { contestants, skipped }
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { version: string }).version
}
