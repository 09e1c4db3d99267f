import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { connectionTarget, withoutSecrets } from "../../../../src/adapters/stores/postgres/connection-url.ts"
import { postgresFault } from "../../../../src/adapters/stores/postgres/postgres-fault.ts"

/** Long enough not to appear in other words by chance. */
const password = fc.string({ unit: "grapheme", minLength: 6, maxLength: 20 }).map((text) => `${text}§`)

describe("a connection URL", () => {
  test("is shown without its password, and so is every text that holds it", () => {
    fc.assert(
      fc.property(password, fc.string(), fc.string(), (secret, before, after) => {
        const encoded = encodeURIComponent(secret)
        const target = connectionTarget(`postgres://bot:${encoded}@db:5433/chat?sslmode=require`)
        expect(target).toMatchObject({ shown: "postgres://bot@db:5433/chat", host: "db:5433", user: "bot", database: "chat" })
        for (const shown of [secret, encoded]) {
          expect(withoutSecrets(`${before}${shown}${after}`, target)).not.toContain(shown)
          const { message, stack, evidence } = postgresFault(new Error(`${before}${shown}${after}`), target)
          expect(`${message} ${stack} ${JSON.stringify(evidence)}`).not.toContain(shown)
        }
      }),
      { numRuns: 300 },
    )
  })

  test.each(["Connection terminated", "the connection has ended", "Client is not queryable", "timeout"])(
    "of a server that fails with %j is told with advice",
    (said) => {
      const target = connectionTarget("postgres://bot@db/chat")
      expect(postgresFault(new Error(said), target).hint).toEqual(expect.any(String))
      expect(postgresFault(new Error("something else"), target).hint).toBeUndefined()
    },
  )

  test.each([
    ["postgres://db", { shown: "postgres://db/", host: "db", user: "", database: "" }],
    ["postgresql://bot@db/", { shown: "postgres://bot@db/bot", database: "bot" }],
    ["postgres://b%40t:x@[::1]:5432/a%20b", { shown: "postgres://b@t@[::1]:5432/a b", user: "b@t", database: "a b" }],
    ["postgres://db/x?password=hunter2", { shown: "postgres://db/x", secrets: ["hunter2"] }],
  ])("%s is understood", (url, expected) => {
    expect(connectionTarget(url)).toMatchObject(expected)
  })
})
