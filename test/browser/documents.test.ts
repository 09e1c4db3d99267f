import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { InspectedDocuments } from "../../src/apps/server/inspector/documents/documents.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import { openFolder } from "../../src/node/workspace/open-workspace.ts"
import { finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { english, useBrowser, violations } from "./opened.ts"

const open = useBrowser()

test("the documents show who changed them and how; a change is undone with keys, and refused if the file changed meanwhile", async () => {
  const folder = tempFolder({ "SOUL.md": "I am kind.\n" })
  const workspace = await openFolder(folder)
  const { agent, page, session, problems } = await open([finish("Noted."), finish("Yes.")], {
    profile: { ...english, agent: { name: "Fay" } },
    documents: workspace,
  })
  const by = session.key.agent
  await workspace.write("MEMORY.md", "Ann likes tea.\n", { by })
  await workspace.write("MEMORY.md", "Ann likes tea.\nShe lives in Oslo.\n", { by })
  await session.send("I live in Oslo.").result
  await page.getByRole("tab", { name: "Documents" }).click()
  const memory = page.getByRole("region", { name: "MEMORY.md" })
  await memory.getByText("+She lives in Oslo.").waitFor()
  expect(await memory.getByRole("listitem").first().locator("summary").textContent()).toMatch(
    /^Fay \(a tool\) changed it .*change 2$/u,
  )
  expect(await violations(page)).toEqual([])
  await memory.getByRole("button", { name: "Undo (change 2)" }).focus()
  await page.keyboard.press("Enter")
  await memory.getByText("a person took back change 2").waitFor()
  expect((await workspace.read("MEMORY.md")).text).toBe("Ann likes tea.\n")
  // The page does not know yet what the model writes now.
  await workspace.write("MEMORY.md", "Ann likes coffee.\n", { by })
  await memory.getByRole("button", { name: "Undo (change 3)" }).click()
  await page
    .getByRole("alert")
    .filter({ hasText: "MEMORY.md: expected the file as it was read, found it changed since." })
    .waitFor()
  expect((await workspace.read("MEMORY.md")).text).toBe("Ann likes coffee.\n")
  writeFileSync(join(folder, "MEMORY.md"), "by hand\n")
  await agent.session("later").send("And?").result
  await memory.getByText("The file was edited since").waitFor()
  expect(await memory.getByRole("button").count()).toBe(0)
  // A phone, and the browser's zoom of 200 %.
  for (const width of [380, 700]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
  expect(await violations(page)).toEqual([])
  expect(problems.filter((problem) => !problem.includes("409"))).toEqual([])
})

test("hostile names and texts of documents are shown as text", async () => {
  const hostile = "<img src=x onerror=window.ran=1>"
  const change = {
    id: hostile,
    path: `${hostile}.md`,
    by: hostile,
    atMs: 0,
    diff: `+</script><svg onload=window.ran=1>`,
    undoes: hostile,
  }
  const folder: InspectedDocuments = {
    read: async () => ({ text: hostile, hash: hostile }),
    history: async () => [change, { ...change, id: "1", afterHash: hostile }],
    undo: () => Promise.reject(new PromptStrataError("file-conflict", `${hostile} was refused.`)),
  }
  const { page, session, problems } = await open([finish("Noted.")], { profile: english, documents: folder })
  await session.send("Hello").result
  await page.getByRole("tab", { name: "Documents" }).click()
  const section = page.getByRole("region", { name: `${hostile}.md` })
  await section.getByText("<svg onload=window.ran=1>").first().waitFor()
  expect(await section.textContent()).toContain(`${hostile} took back change ${hostile}`)
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
  expect(await page.locator("#app script, #app img, #app svg[onload]").count()).toBe(0)
  expect(problems).toEqual([])
})
