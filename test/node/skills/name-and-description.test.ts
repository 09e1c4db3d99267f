import { expect, test } from "vitest"
import { isPathName, isStandardName } from "../../../src/node/skills/skill-attributes.ts"

test.each(["../x", "..", "./x", "/etc/passwd", "a/b", "a\\b", "~x", "C:/x", "a b/../c", "x/", "/", "a b/"])(
  "%j is a path",
  (name) => expect(isPathName(name)).toBe(true),
)

test.each(["a", "pdf-forms", "CI / CD", "CI/CD pipelines", "a.b", "写日记", "Use: it", "x..y"])("%j is no path", (name) =>
  expect(isPathName(name)).toBe(false),
)

test.each<[string, boolean]>([
  ["pdf-forms", true],
  ["a1", true],
  ["写日记", true],
  ["Pdf", false],
  ["a--b", false],
  ["-a", false],
  ["a-", false],
  ["a_b", false],
  ["a b", false],
  ["", false],
])("the standard's name %j: %j", (name, standard) => expect(isStandardName(name)).toBe(standard))
