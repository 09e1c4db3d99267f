import { expect, test } from "vitest"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines, runProgram } from "../../support/terminal.ts"
import { plainProfile } from "./run.ts"

/** Asks the demo model in a process of its own. Resolves to the prompts. */
async function promptsOf(
  questions: readonly string[],
  { profile, folder }: { readonly profile: string; readonly folder: string },
) {
  const { code, stdout, stderr } = await runProgram(["chat", profile, "--json", "--show", "prompt", "--data-dir", folder], {
    env: { PROMPTSTRATA_STORE: "" },
    input: questions.map((question) => `${question}\n`).join(""),
  })
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("ExperimentalWarning") })
  return jsonLines(stdout).filter(({ type }) => type === "prompt")
}

test("after a restart in mid-conversation the next prompt is byte for byte the one without a restart", async () => {
  const questions = ["My name is Ann.", "What is 17*23?", "And who am I?"]
  const [whole, parted] = [tempFolder(), tempFolder()]
  const [once, before] = await Promise.all([
    promptsOf(questions, { profile: plainProfile, folder: whole }),
    promptsOf(questions.slice(0, 2), { profile: plainProfile, folder: parted }),
  ])
  const after = await promptsOf(questions.slice(2), { profile: plainProfile, folder: parted })
  expect(before.length).toBeGreaterThan(1)
  const last = once.at(-1)
  expect(JSON.stringify(last)).toContain("My name is Ann.")
  expect(JSON.stringify(after.at(-1))).toBe(JSON.stringify(last))
})
