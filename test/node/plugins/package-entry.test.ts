import { describe, expect, test } from "vitest"
import { exportedPath } from "../../../src/node/plugins/load-plugin.ts"

describe("exportedPath finds what Node would import", () => {
  test.each([
    ["a string", "./x.js", ".", "./x.js"],
    ["one path", { ".": "./x.js" }, ".", "./x.js"],
    ["the first condition that holds", { browser: "./b.js", import: "./i.js", default: "./d.js" }, ".", "./i.js"],
    ["the order of the package, not ours", { default: "./d.js", import: "./i.js" }, ".", "./d.js"],
    ["conditions in conditions", { ".": { node: { require: "./r.cjs", import: "./i.js" } } }, ".", "./i.js"],
    [
      "a fallback after a condition that leads nowhere",
      { ".": { node: { require: "./r.cjs" }, default: "./d.js" } },
      ".",
      "./d.js",
    ],
    ["only for require", { require: "./r.cjs" }, ".", undefined],
    ["a part", { ".": "./x.js", "./part": "./p.js" }, "./part", "./p.js"],
    ["a part that is not there", { ".": "./x.js" }, "./part", undefined],
    ["a string has no parts", "./x.js", "./part", undefined],
    ["a pattern", { "./*": "./lib/*.js" }, "./a/b", "./lib/a/b.js"],
    ["a pattern with an ending", { "./*.js": "./lib/*.mjs" }, "./a.js", "./lib/a.mjs"],
    ["the longest pattern", { "./*": "./lib/*.js", "./deep/*": "./d/*.js" }, "./deep/x", "./d/x.js"],
    ["an exact one before a pattern", { "./*": "./lib/*.js", "./a": "./a.js" }, "./a", "./a.js"],
    ["a part that is closed", { "./*": "./lib/*.js", "./secret": null }, "./secret", undefined],
    ["the first of several", { ".": ["./a.js", "./b.js"] }, ".", "./a.js"],
    ["nothing outside the package", { ".": "../x.js" }, ".", undefined],
    ["nothing outside by a pattern", { "./*": "./lib/*" }, "./../../x", undefined],
    ["nothing absolute", { ".": "/etc/passwd" }, ".", undefined],
    ["nothing of a number", 3, ".", undefined],
  ])("%s", (_, exports, subpath, found) => {
    expect(exportedPath(exports, subpath)).toBe(found)
  })
})
