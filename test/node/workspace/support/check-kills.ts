import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { startChild } from "./children.ts"
import { numberedText, numberOf } from "./numbered-text.ts"
import { leftovers } from "./workspaces.ts"

/** Kills a writing process again and again, at random moments. Counts how often it was in the middle of a change. */
export async function checkKills({ rounds }: { readonly rounds: number }): Promise<{ readonly cutOff: number }> {
  const folder = tempFolder({ "MEMORY.md": numberedText(0) })
  let [acknowledged, cutOff] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const child = startChild("write-child", [folder, String(acknowledged + 1)])
    let toGo = 1 + (round % 3)
    for await (const line of child.lines) {
      acknowledged = Number(line)
      if (toGo-- > 0) continue
      await spin(Math.floor(Math.random() * 5_000))
      child.process.kill("SIGKILL")
      toGo = Number.POSITIVE_INFINITY
    }
    expect(await child.ended).toBe("SIGKILL")
    const number = numberOf(readFileSync(join(folder, "MEMORY.md"), "utf8"))
    expect(number, "the text is whole").toBeDefined()
    // The current change may be complete although it was not acknowledged.
    expect([acknowledged, acknowledged + 1]).toContain(number)
    if (leftovers(folder).length > 0) cutOff += 1
    const workspace = await openFolder(folder)
    expect(leftovers(folder)).toEqual([])
    const [last] = await workspace.history({ limit: 1 })
    expect(last?.afterHash).toBe((await workspace.read("MEMORY.md")).hash)
    acknowledged = Number(number)
  }
  return { cutOff }
}

/** Waits for some turns of the event loop. The child continues in the meantime. */
async function spin(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
}
