import { expect, test } from "vitest"
import { readAllowedTools } from "../../../src/node/skills/skill-attributes.ts"

test.each<[unknown, readonly string[] | undefined]>([
  ["Read", ["Read"]],
  ["Bash(git:*) Bash(jq:*) Read", ["Bash(git:*)", "Bash(jq:*)", "Read"]],
  ["Read, Write,Edit ,  Glob", ["Read", "Write", "Edit", "Glob"]],
  ["Bash(git add:*), Bash(npm run (a, b)), Read", ["Bash(git add:*)", "Bash(npm run (a, b))", "Read"]],
  ["Bash(git add, Read", ["Bash(git", "add", "Read"]],
  ["Read Bash(a b)", ["Read", "Bash(a b)"]],
  ["Read) Write", ["Read)", "Write"]],
  ["[Read, Write]", ["Read", "Write"]],
  [
    ["Read ", "", "Bash(a b)"],
    ["Read", "Bash(a b)"],
  ],
  ["", []],
  [[1], undefined],
  [{ Read: true }, undefined],
  [true, undefined],
])("allowed-tools %j are %j", (value, tools) => expect(readAllowedTools(value)).toEqual(tools))
