import { join } from "node:path"
import { expect, test } from "vitest"
import { skillFaults } from "../../../src/node/lint/load-faults.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("a skill that cannot be read has the fault of its file, and one that is not there a fault of its own", () => {
  const folder = tempFolder({ "a/SKILL.md": Uint8Array.of(0x61, 0xff, 0xff) })
  const told = (path: string) =>
    skillFaults(join(folder, path)).map(({ rule, message, position }) => [rule, position.line, message.replaceAll(folder, "~")])
  expect([told("a/SKILL.md"), told("b/SKILL.md")]).toEqual([
    [["unreadable-file", 1, "expected UTF-8 text, found the byte 0xff, which is part of no character."]],
    [["skill", 1, "ENOENT: no such file or directory, lstat '~/b'"]],
  ])
})
