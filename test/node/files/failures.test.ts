import { expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { createFileTools } from "../../../src/node/files/create-file-tools.ts"
import { emptyWorkspace } from "../../../src/node/files/workspace-on-demand.ts"
import { callTool } from "./file-scene.ts"

test("each failure of a file has its own sentence for the model, in both languages", async () => {
  const error = (code: string, evidence: object = {}) => new PromptStrataError(code as "file", "for people", { evidence })
  const system = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EIO"].map((code) => [code, error("file", { code })] as const)
  const failures: readonly (readonly [string, Error])[] = [
    ...[
      "file-missing",
      "file-kind",
      "file-encoding",
      "file-path",
      "file-outside",
      "file-conflict",
      "file-busy",
      "file",
      "closed",
    ].map((code) => [code, error(code)] as const),
    ["half a character", error("file-encoding", { characterIndex: 0 })],
    ["file-size", error("file-size", { sizeBytes: 11, maxBytes: 10 })],
    ...system,
    ["aborted", error("aborted")],
    ["an error of the tool's own", error("tool-arguments")],
    ["any other error", new Error("boom")],
  ]
  const told: string[] = []
  for (const locale of ["en", "zh-CN"]) {
    for (const [name, thrown] of failures) {
      const workspace = { ...emptyWorkspace(), read: () => Promise.reject(thrown) }
      told.push(`${name}: ${await callTool(createFileTools(workspace, { locale }), "read", { path: "a b.md" })}`)
    }
  }
  expect(told.join("\n")).toMatchSnapshot()
})
