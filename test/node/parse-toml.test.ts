import { expect, test } from "vitest"
import { parseToml } from "../../src/node/parse-toml.ts"

const nested = (depth: number): string => `a = ${"[".repeat(depth)}${"]".repeat(depth)}`

test("TOML may nest up to its limit, so that no file ends the call stack", () => {
  const deepest = Array.from({ length: 300 }, (_, depth) => depth).findLast((depth) => {
    try {
      return parseToml(nested(depth), "a.toml").data !== undefined
    } catch {
      return false
    }
  })
  expect(deepest).toBe(100)
})
