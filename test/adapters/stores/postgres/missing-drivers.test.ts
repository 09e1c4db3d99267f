import { expect, test } from "vitest"
import { loadDrivers } from "../../../../src/adapters/stores/postgres/postgres-database.ts"

test("a store on PostgreSQL without its packages says what to install", async () => {
  const cause = new Error("Cannot find package 'pg-boss'")
  await expect(loadDrivers(() => Promise.reject(cause))).rejects.toMatchObject({
    code: "missing-dependency",
    message: expect.stringMatching(
      /^A store on PostgreSQL needs the packages `pg` \(version 8\) and `pg-boss` \(version 12\), of which one could not be loaded\./,
    ),
    hint: "Run `npm install pg@8 pg-boss@12.35.0`.",
    cause,
  })
  expect(Object.keys(await loadDrivers())).toEqual(["pg", "boss"])
})
