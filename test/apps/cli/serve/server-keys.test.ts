import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { callerOf } from "../../../../src/apps/cli/serve/serve.ts"
import { openKeys } from "../../../../src/apps/cli/serve/server-keys.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

function opened(text: string, key?: string) {
  const file = join(tempFolder(), "keys.toml")
  writeFileSync(file, text)
  const told: string[] = []
  const find = openKeys({ key, file, onProblem: (message) => told.push(message) })
  const userOf = (given: string) => find?.(`Bearer ${given}`)?.user
  const ask = (given: string, headers: Record<string, string>) =>
    callerOf(find)(new Request("http://bot.test/", { headers: { authorization: `Bearer ${given}`, ...headers } }))
  return { file, told, find, userOf, ask }
}

describe("keys of users", () => {
  test("N2 each speaks for its user, beside a key that may name any", () => {
    const { ask, userOf, find } = opened('"k1" = "ann"\n"k2" = "ann"\n"k.3" = "bob"\n', "all")
    expect(["k1", "k2", "k.3", "k", "", "all"].map(userOf)).toEqual(["ann", "ann", "bob", undefined, undefined, undefined])
    expect([find?.("Bearer all"), find?.("k1")]).toEqual([expect.objectContaining({ user: undefined }), undefined])
    expect(ask("k1", { "x-conversation": "c" })).toEqual({ user: "ann", conversation: "ann/c" })
    expect(ask("k1", { "x-user": "ann" })).toEqual({ user: "ann", conversation: undefined })
    expect(ask("all", { "x-user": "eve" })).toEqual({ user: "eve", conversation: undefined })
    expect(() => ask("k1", { "x-user": "bob" })).toThrow(expect.objectContaining({ status: 403, param: "x-user" }))
  })

  test("N2 a file that changed counts at the next request", () => {
    const { file, userOf, told } = opened('"old" = "ann"\n')
    writeFileSync(file, '"old" = "ann"\n"new" = "ann"\n')
    expect([userOf("old"), userOf("new")]).toEqual(["ann", "ann"])
    writeFileSync(file, '"new" = "ann"\n')
    expect([userOf("old"), userOf("new"), told]).toEqual([undefined, "ann", []])
  })

  test("N2 a broken file leaves the last keys valid, and is told once, without a key", () => {
    const { file, userOf, told } = opened('"secret" = "ann"\n')
    for (const text of ['"secret" = "ann"\n"other-secret" = bob\n', "", '"secret" = 3\n', '"secret" = "user"\n']) {
      writeFileSync(file, text)
      expect([userOf("secret"), userOf("secret"), userOf("other-secret")]).toEqual(["ann", "ann", undefined])
    }
    rmSync(file)
    expect([userOf("secret"), userOf("secret")]).toEqual(["ann", "ann"])
    expect(told.map((message) => /found [^.\n]*|cannot be read/.exec(message)?.[0])).toEqual([
      "found a mistake in line 2",
      "found none",
      "found another one as key 1, by its user",
      "found the user user, who is whoever runs this server",
      "cannot be read",
    ])
    expect(told.join("\n")).not.toContain("secret")
    writeFileSync(file, '"third" = "ann"\n')
    expect([userOf("secret"), userOf("third"), told.length]).toEqual([undefined, "ann", 5])
  })

  test.each(["", "k = v", '"a b" = "ann"', '"k" = "a b"', "[k]\nx = 1", '"k" = "ann"\n"k" = "bob"'])("%j is refused", (text) => {
    expect(() => opened(text)).toThrow(expect.objectContaining({ code: "usage" }))
  })
})
