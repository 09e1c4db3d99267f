import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { plainProfile, run } from "../cli/run.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { openPage, useBrowser } from "./opened.ts"

useBrowser()

test("render --html prints one file with the prompt, without keys, that runs no script but its own and needs no network", async () => {
  const question = "My key is sk-abcdefghijklmnop1234 </script><script>window.ran = 1</script>"
  const { code, stdout } = await run(["render", plainProfile, "--html", "--question", question])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^<!doctype html>/u)
  expect(stdout).not.toContain("abcdefghijklmnop")
  expect(stdout).toMatch(/Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/u)
  const data = /<script type="application\/json" id="record">(.*?)<\/script>/u.exec(stdout)?.[1] ?? ""
  const { record } = JSON.parse(data) as { record: { question: string; requests: unknown[] } }
  expect(record).toMatchObject({ question: question.replace(/sk-\w+/u, "[secret]"), outcome: { state: "previewed" } })
  expect(record.requests).toHaveLength(1)
  const path = `${tempFolder()}/prompt.html`
  writeFileSync(path, stdout)
  const { page, problems } = await openPage(pathToFileURL(path).href)
  await page.locator(".row", { hasText: "My key is [secret] </script>" }).waitFor()
  expect(await page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined()
  expect(problems).toEqual([])
})
