import { writeFileSync } from "node:fs"
import { describe, expect, onTestFinished, test } from "vitest"
import { editing, persona } from "../apps/server/inspector/editing.ts"
import { finish } from "../support/agents.ts"
import { openPage, useBrowser, violations } from "./opened.ts"

useBrowser()

const hostile = `<img src=x onerror=window.ran=1></textarea></script><script>window.ran=1</script><svg onload=window.ran=1>"' \u202e`

/** The tab in which the files of an agent are edited, beside a turn that has ended. */
async function opened(answers: readonly string[], texts: Readonly<Record<string, string>> = {}) {
  const parts = await editing(answers.map(finish), texts)
  await parts.say("Hello")
  const server = await parts.made.listen()
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(server.url)
  const main = page.getByRole("main")
  const show = async (tab = "Edit") => {
    await main.getByRole("tab", { name: tab, exact: true }).click()
    return main.getByLabel("Text of the file")
  }
  const press = (name: string) => main.getByRole("button", { name, exact: true }).click()
  const ran = () => page.evaluate(() => (window as unknown as { ran?: number }).ran)
  return { ...parts, page, problems, main, show, press, ran }
}

describe("the files of a profile on the page", () => {
  test("are edited with their effect at once, saved, and undone", async () => {
    const { main, page, show, press, text, problems } = await opened(["Hi."])
    const area = await show()
    await main.getByText("Saved in place").waitFor()
    expect(await area.inputValue()).toBe(persona)
    await area.fill(`${persona}Never shout.\n`)
    await main.getByText(/\d+ → \d+ tokens \(\+\d+\)\. A cache loses \d+ of them once, from persona on\. costs \$/u).waitFor()
    await main.getByRole("region", { name: "Both requests" }).getByText("Never shout.").waitFor()
    expect(await violations(page)).toEqual([])
    expect(text()).toBe(persona)
    await show("Prompt")
    expect(await (await show()).inputValue()).toBe(`${persona}Never shout.\n`)
    await press("Save")
    await main.getByText(/^Saved: .*luna\.md\. The next message here uses it\./u).waitFor()
    expect(text()).toBe(`${persona}Never shout.\n`)
    await press("Undo the last save")
    await main.getByText(/^Undone: /u).waitFor()
    expect([text(), await area.inputValue()]).toEqual([persona, persona])
    expect(problems).toEqual([])
  })

  test("keep what is typed while they are saved, and undo no save under it", async () => {
    const { main, page, show, press, text, problems } = await opened(["Hi."])
    const area = await show()
    await page.route("**/api/files/save", async (route) => {
      await area.fill("You are wild. Still typing.\n")
      await route.continue()
    })
    await area.fill("You are wild.\n")
    await main.getByText(/tokens \(/u).waitFor()
    await press("Save")
    await main.getByText(/^Saved: /u).waitFor()
    expect([text(), await area.inputValue()]).toEqual(["You are wild.\n", "You are wild. Still typing.\n"])
    const undo = main.getByRole("button", { name: "Undo the last save", exact: true })
    expect(await undo.isDisabled()).toBe(true)
    await press("Discard changes")
    expect(await area.inputValue()).toBe("You are wild.\n")
    await undo.click()
    await main.getByText(/^Undone: /u).waitFor()
    expect([text(), await area.inputValue()]).toEqual([persona, persona])
    expect(problems).toEqual([])
  })

  test("say where a text is wrong while it is typed, and cannot be saved then", async () => {
    const { main, page, show, problems } = await opened(["Hi."])
    const area = await show()
    await area.fill("---\nnmae: Luna\n---\nYou are calm.\n")
    await main.getByRole("alert").getByText('Did you mean "name"?').waitFor()
    expect(await main.getByRole("alert").textContent()).toMatch(/luna\.md:2:1: [\s\S]*\n {2}\| \^/u)
    expect(await main.locator(".numbers .wrong").textContent()).toBe("2")
    expect(await main.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await area.fill(`${persona}Fine.`)
    await main.getByText(/tokens \(\+/u).waitFor()
    expect(await main.getByRole("alert").count()).toBe(0)
    expect(problems.filter((problem) => !problem.includes("422"))).toEqual([])
  })

  test("are saved also where the turn cannot be assembled again, which is said", async () => {
    const { main, agent, show, press, text } = await opened(["Hi.", "Morning."])
    await agent.session("test").wake("sunrise").result
    await main.getByText("Morning.").first().waitFor()
    const area = await show()
    await area.fill("You are wild.\n")
    await main.getByText("A turn in which nobody spoke cannot be assembled again.").waitFor()
    await press("Save")
    await main.getByText(/^Saved: /u).waitFor()
    expect(text()).toBe("You are wild.\n")
  })

  test("are opened from a part of a request, at its line", async () => {
    const { main, show } = await opened(["Hi."])
    await show("Prompt")
    await main.getByText("You are calm.").first().hover()
    await main.getByRole("button", { name: "Edit", exact: true }).click()
    const area = main.getByLabel("Text of the file")
    await area.waitFor()
    expect(await area.evaluate((field: HTMLTextAreaElement) => field.selectionStart)).toBe(persona.indexOf("You are"))
    expect(await main.locator(".edit select").first().inputValue()).toContain("luna.md")
  })

  test("that changed on the disk are shown before they are overwritten", async () => {
    const { main, show, press, text, path } = await opened(["Hi."])
    const area = await show()
    await area.fill("You are wild.\n")
    await main.getByText(/tokens \(/u).waitFor()
    writeFileSync(path, "By hand.\n")
    await press("Save")
    await main.getByText("By hand.").waitFor()
    expect(text()).toBe("By hand.\n")
    await press("Save mine over it")
    await main.getByText(/^Saved: /u).waitFor()
    expect(text()).toBe("You are wild.\n")
  })

  test("are played again with the old and the new text, side by side", async () => {
    const { main, page, show, press } = await opened(["Hi.", `old ${hostile}`, `new ${hostile}`])
    const area = await show()
    await area.fill("You are wild.\n")
    await main.getByText(/tokens \(/u).waitFor()
    await press("This turn")
    const replay = main.getByRole("region", { name: "Replay" })
    await replay.getByText(/^old /u).waitFor()
    await replay.getByText(/^new /u).waitFor()
    expect(await replay.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      "Recorded",
      "As the files are",
      "With the edit",
    ])
    expect(await violations(page)).toEqual([])
  })

  test("may hold anything: no script runs, and a phone and Chinese show it", async () => {
    const { main, page, show, press, ran, text, problems } = await opened(["Hi.", hostile, hostile])
    const area = await show()
    for (const words of [hostile, `---\nname: ${hostile}\n---\n${hostile}`, `---\n${hostile}: x\n---\n`, `\${${hostile}`]) {
      await area.fill(words)
      await main
        .getByText(/tokens \(|unknown key|expected/u)
        .first()
        .waitFor()
    }
    await area.fill(`${persona}${hostile}\n`)
    await main.getByText(/tokens \(\+/u).waitFor()
    await press("This turn")
    await main.getByRole("region", { name: "Replay" }).getByText("onerror").nth(1).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await violations(page)).toEqual([])
    await press("Save")
    await main.getByText(/^Saved: /u).waitFor()
    expect(text()).toBe(`${persona}${hostile}\n`)
    await page.getByRole("button", { name: "中文" }).click()
    await main.getByRole("button", { name: "撤销上次保存" }).click()
    await main.getByText(/^已撤销：/u).waitFor()
    expect(text()).toBe(persona)
    expect(await violations(page)).toEqual([])
    expect(await ran()).toBeUndefined()
    expect(await page.locator("#app script, #app img, #app svg[onload]").count()).toBe(0)
    expect(problems.filter((problem) => !problem.includes("422"))).toEqual([])
  })
})
