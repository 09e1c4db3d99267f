import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"

describe("[mcp.servers.NAME]", () => {
  test("servers are loaded with their settings; paths are relative to the file that sets them, names and arguments stay", async () => {
    const base = '[mcp.servers.files]\ncommand = "./bin/serve"\nargs = ["./notes"]\ncwd = "work"\npass_env = ["TOKEN"]\n'
    const child =
      'extends = "../base.toml"\n[mcp.servers]\nfar = { url = "https://example.org/mcp", headers = { X_KEY = "${KEY}" } }\n[mcp.servers.files]\nallow = ["read_*"]\ncommand = "node"\n'
    const folder = tempFolder({ "base.toml": base, "bots/child.toml": child })
    const load = async (path: string) => (await loadProfile(join(folder, path))).mcp.servers
    expect(await load("base.toml")).toEqual({
      files: { command: join(folder, "bin/serve"), args: ["./notes"], cwd: join(folder, "work"), passEnv: ["TOKEN"] },
    })
    expect(await load("bots/child.toml")).toEqual({
      far: { url: "https://example.org/mcp", headers: { X_KEY: "${KEY}" } },
      files: { command: "node", args: ["./notes"], cwd: join(folder, "work"), passEnv: ["TOKEN"], allow: ["read_*"] },
    })
  })

  test.each([
    ['[mcp.servers.a]\nurl = "ftp://x"\n', "a URL that begins with http:// or https://"],
    ['[mcp.servers.a]\ncomand = "x"\n', near("command")],
    ["[mcp.servers.a]\ntimeout_ms = 0\n", "a whole number from 1 to 2147483647"],
    ["[mcp]\nservers = 7\n", "a table for each server"],
  ])("a mistake in %j is told with its line", async (toml, message) => {
    const folder = tempFolder({ "bad.toml": toml })
    await expect(loadProfile(join(folder, "bad.toml"))).rejects.toThrow(message)
  })
})
