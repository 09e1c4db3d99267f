import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { childEnv } from "../support/child-env.ts"
import { root } from "../support/source-files.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { openPage, useBrowser } from "./opened.ts"

useBrowser()

test("render --html prints one file with the prompt, without keys, that runs no script but its own and needs no network", async () => {
  const question = "My key is sk-abcdefghijklmnop1234 </script><script>window.ran = 1</script>"
  const profile = `${root}test/apps/cli/profiles/plain.toml`
  const args = [`${root}src/apps/cli/main.ts`, "render", profile, "--no-store", "--html", "--question", question]
  const printed = execFileSync(process.execPath, args, { encoding: "utf8", env: childEnv() })
  expect(printed).toMatch(/^<!doctype html>/u)
  expect(printed).not.toContain("abcdefghijklmnop")
  expect(printed).toMatch(/Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/u)
  const data = /<script type="application\/json" id="record">(.*?)<\/script>/u.exec(printed)?.[1] ?? ""
  const { record } = JSON.parse(data) as { record: { question: string; requests: unknown[] } }
  expect(record).toMatchObject({ question: question.replace(/sk-\w+/u, "[secret]"), outcome: { state: "previewed" } })
  expect(record.requests).toHaveLength(1)
  const path = `${tempFolder()}/prompt.html`
  writeFileSync(path, printed)
  const { page, problems } = await openPage(pathToFileURL(path).href)
  await page.locator(".row", { hasText: "My key is [secret] </script>" }).waitFor()
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
  expect(problems).toEqual([])
})
