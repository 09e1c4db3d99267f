import { spawnSync } from "node:child_process"
import { expect, inject, test } from "vitest"
import { childEnv } from "../support/child-env.ts"
import { root } from "../support/source-files.ts"

test.skipIf(Object.values(inject("examples")).includes(undefined))(
  "the programs of the examples type-check against the source",
  () => {
    const args = [
      `${root}node_modules/typescript/bin/tsc`,
      "-p",
      `${root}test/.tmp/examples`,
      "--pretty",
      "false",
      "--checkers",
      "1",
    ]
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: childEnv() })
    expect(stdout).toBe("")
    expect(status).toBe(0)
  },
)
