import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { tempFolder } from "../../support/temp-folder.ts"

// A process tells each guess once, so this file has a process's modules of its own.
test("where nobody listens, the console is told once what a profile leaves open", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue()
  const folder = tempFolder({ "mei.toml": '[prompt]\npersona = "./mei.md"\n', "mei.md": "You are Mei." })
  for (let again = 0; again < 2; again++) await loadProfile(join(folder, "mei.toml"), { env: {} })
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^promptstrata: English is used, because nothing names a language of the prompts, .* Write locale = "en"/,
      ),
    ],
    [expect.stringMatching(/^promptstrata: The agent is called "mei" after its profile's file, .* Write name = /)],
  ])
  warn.mockRestore()
})
