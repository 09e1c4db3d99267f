import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { childEnv } from "../../support/child-env.ts"
import { size } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const suite = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url))
const client = fileURLToPath(new URL("../../support/mcp/conformance-client.ts", import.meta.url))
const isThere = (() => {
  try {
    createRequire(import.meta.url).resolve(suite)
    return true
  } catch {
    console.log("skipped: @modelcontextprotocol/conformance is not installed")
    return false
  }
})()

/** Runs one scenario: its server in the suite's process, our client in another. */
function runScenario(scenario: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const args = [suite, "client", "--command", `${process.execPath} ${client}`, "--scenario", scenario, "--timeout", "1800000"]
  const child = spawn(process.execPath, args, { cwd: tempFolder(), env: childEnv(), stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  child.stdout.on("data", (chunk) => {
    output += String(chunk)
  })
  child.stderr.on("data", (chunk) => {
    output += String(chunk)
  })
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })))
}

const scenarios = ["tools_call", "initialize", "sse-retry", "elicitation-sep1034-client-defaults"]

describe.skipIf(!isThere)("the client scenarios of the conformance suite", () => {
  test.each(size === "quick" ? scenarios.slice(0, 1) : scenarios)("%s", async (scenario) => {
    const { code, output } = await runScenario(scenario)
    expect(output).toMatch(/Passed: \d+\/\d+, 0 failed/)
    expect(code, output).toBe(0)
  })
})
