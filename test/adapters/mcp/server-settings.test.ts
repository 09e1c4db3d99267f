import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { connectMcp } from "../../../src/adapters/mcp/connect-mcp.ts"
import { loadOrExplain } from "../../../src/adapters/mcp/options.ts"
import { checkServers, toolFilter } from "../../../src/adapters/mcp/server-settings.ts"
import type { McpServerSettings } from "../../../src/profile/profile.ts"
import { near, noOption } from "../../support/error-formulas.ts"

describe("settings", () => {
  const bad: readonly (readonly [string, McpServerSettings, RegExp])[] = [
    ["a.b", { command: "x" }, /expected a name of a letter/],
    ["", { command: "x" }, /expected a name of a letter/],
    ["read", { command: "x" }, /no tool of the agent's own/],
    ["a", {}, /either command/],
    ["a", { command: "x", url: "https://x.org" }, /either command/],
    ["a", { command: " " }, /found nothing/],
    ["a", { url: "x.org" }, /expected a URL/],
    ["a", { url: "file:///etc/passwd" }, /begins with http/],
    ["a", { url: "https://me:secret@x.org/" }, /put them into headers/],
    ["a", { command: "x", timeoutMs: 0 }, /timeoutMs above 0/],
    ["a", { command: "x", arg: [] } as McpServerSettings, / arg\. .* "args"\?$/],
    ["a", { url: "https://x.org", type: "http" } as McpServerSettings, / type\. Expected one of command, /],
    ["a", { command: "x", disabled: "yes" } as never, /disabled: expected true or false, found "yes"/],
  ]
  test.each(bad)("server %j with %j cannot be used", (name, settings, message) => {
    expect(() => checkServers({ [name]: settings }, ["read"])).toThrow(message)
  })

  test("good ones pass", () => {
    expect(() => checkServers({ files: { command: "node" }, far: { url: "http://localhost:1/mcp" } }, ["read"])).not.toThrow()
  })

  test("a client library that is not installed is a mistake that says what to do", async () => {
    const library = {
      client: () => loadOrExplain<never>(() => Promise.reject(new Error("no"))),
      stdio: () => Promise.reject(new Error()),
    }
    await expect(connectMcp({ a: { command: "x" } }, { library })).rejects.toMatchObject({ code: "missing-dependency" })
    // Nothing is loaded where no server is named, or where each is disabled as an `mcp.json` can have it.
    await expect(connectMcp({ a: { command: "x", disabled: true } }, { library })).resolves.toMatchObject({ tools: [] })
    await expect(connectMcp({}, { library })).resolves.toMatchObject({ tools: [] })
  })
})

test("an unknown option of connectMcp is a mistake", async () => {
  await expect(connectMcp({}, { onWarn: () => undefined } as object)).rejects.toThrow(
    `${noOption("connectMcp", "onWarn")}${near("onWarning")}`,
  )
})

describe("tool filters", () => {
  test.each([
    [{}, "any", true],
    [{ allow: ["a", "b"] }, "b", true],
    [{ allow: ["a", "b"] }, "c", false],
    [{ allow: [] }, "a", false],
    [{ deny: ["write_*"] }, "write_file", false],
    [{ allow: ["*"], deny: ["*file*"] }, "read_files", false],
    [{ allow: ["a*b*c"] }, "a-b-c", true],
    [{ allow: ["a*b*c"] }, "a-c-b", false],
    [{ allow: ["ab*ba"] }, "aba", false],
    [{ allow: ["a.c"] }, "abc", false],
  ])("%j lets %s through: %s", (settings, tool, expected) => {
    expect(toolFilter(settings)(tool)).toBe(expected)
  })

  test("a pattern matches what a regular expression would", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 })
    fc.assert(
      fc.property(word, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, name) => {
        const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
        expect(toolFilter({ allow: [pattern] })(name)).toBe(expected)
      }),
    )
  })
})
