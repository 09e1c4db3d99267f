import { expect, test } from "vitest"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"

const settingsOf = (options: object) => postgresSettings({ url: "postgres://localhost/x", ...options })

test("a store on PostgreSQL has ten connections unless it is told, and needs two", () => {
  expect(settingsOf({}).maxConnections).toBe(10)
  expect(settingsOf({ maxConnections: 2 }).maxConnections).toBe(2)
  expect(() => settingsOf({ maxConnections: 1 })).toThrow("Expected maxConnections of at least 2, found 1.")
})

test("a schema's name is refused unless it can stand in a statement as it is", () => {
  for (const jobSchema of ["pgboss", "_x9", `a${"b".repeat(39)}`]) expect(settingsOf({ jobSchema }).jobSchema).toBe(jobSchema)
  for (const jobSchema of ["", "9a", "A", "a b", 'a"', `a${"b".repeat(40)}`])
    expect(() => settingsOf({ jobSchema })).toThrow("Expected jobSchema of small letters, digits and _, at most 40")
})

test("an unknown option is refused, also one of jobs", () => {
  expect(() => settingsOf({ maxConnection: 3 })).toThrow("openStore")
  expect(() => settingsOf({ jobs: { poolMs: 3 } })).toThrow("jobs of openStore")
})
