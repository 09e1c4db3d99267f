import { expect, test } from "vitest"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const load = (pattern: string) => {
  const folder = tempFolder({ "bot.toml": `[memory]\nreflect_schedule = ${JSON.stringify(pattern)}\n` })
  return loadProfile(`${folder}/bot.toml`, { locale: "en", roots: [folder], env: {} })
}

test("T36 a profile's schedule of reflection is a cron pattern", async () => {
  expect((await load("0 4 * * *")).memory.reflectSchedule).toBe("0 4 * * *")
})

test.each(["0 25 * * *", "every day", "* * *", "0 4 * * * * *"])("%s is refused where it stands", async (pattern) => {
  await expect(load(pattern)).rejects.toMatchObject({
    code: "profile",
    message: expect.stringMatching(/bot\.toml:2:1: memory\.reflect_schedule: expected a cron pattern such as "0 4 \* \* \*"/),
  })
})
