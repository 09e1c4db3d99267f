import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { describe, expect, onTestFinished, test } from "vitest"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { run } from "../run.ts"

const read = (path: string) => readFileSync(path, "utf8")
const claw = {
  "claw/SOUL.md": "# SOUL\nBe kind.\n",
  "claw/IDENTITY.md": "\ufeff# IDENTITY\n\n- **Name:** Claw ${tools}\n- **Vibe:** warm\n",
  "claw/USER.md": "Ann.\n",
  "claw/MEMORY.md": "Ann likes tea.\n",
  "claw/AGENTS.md": "Ask before you delete.\n",
  "claw/TOOLS.md": "The lamp is called sun.\n",
  "claw/HEARTBEAT.md": "- look at mail\n",
  "claw/memory/2026-01-01.md": "We met.\n",
  "claw/notes.txt": "x",
  "secret.md": "secret",
}
const servers = {
  mcpServers: {
    "GitHub Tools": {
      command: "npx",
      args: ["-y", "srv", "--token=${T}"],
      env: { GITHUB_TOKEN: "ghp_secret" },
      autoApprove: ["x"],
    },
    web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer s3" }, disabled: true },
    bad: {},
  },
}

/** The lines of a report. */
const reportIn = (stderr: string) => stderr.split("Not taken, or not as it was:\n  ")[1]?.trimEnd().split("\n  ")

describe("promptstrata import", () => {
  const entry = { keys: ["dragon", "/(a)\\1/"], content: "Dragons sleep.", insertion_order: "5" }
  test.each([
    ["world.json", JSON.stringify({ entries: { 0: { uid: 0, key: ["dragon"], content: "Dragons sleep." } } }), []],
    [
      "v3.json",
      JSON.stringify({ spec: "lorebook_v3", data: { entries: [{ ...entry, keys: ["dragon"], insertion_order: 5 }] } }),
      [],
    ],
    [
      "book.json",
      JSON.stringify({ name: "Book", description: "Of dragons.", entries: [entry] }),
      [
        'lorebook.entries[0].insertion_order: expected a finite number, found "5"; read as 5.',
        'entry "0": the pattern /(a)\\1/ is not used: a backreference cannot be searched for in linear time.',
      ],
    ],
    [
      "agnai.json",
      JSON.stringify({ kind: "memory", entries: [{ name: "D", entry: "Dragons sleep.", keywords: ["dragon"], weight: 1 }] }),
      [],
    ],
    [
      "novel.json",
      JSON.stringify({ lorebookVersion: 4, entries: [{ id: "a", displayName: "D", text: "Dragons sleep.", keys: ["dragon"] }] }),
      [],
    ],
    ["own.md", "---\ntitle: Dragons\nkeys: [dragon]\n---\nDragons sleep.\n", []],
  ])("C1: makes a profile with the lorebook of %s, which stays as it is", async (name, text, report) => {
    const folder = tempFolder({ [name]: text })
    const { code, stderr } = await run(["import", `${folder}/${name}`, `${folder}/made`])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`A lorebook with 1 entry: lore/${name}`)])
    expect(reportIn(stderr) ?? []).toEqual(report)
    expect(read(`${folder}/made/lore/${name}`)).toBe(text)
    const path = `${folder}/made/profiles/${name.split(".")[0]}.toml`
    const { stdout } = await run(["render", path, "--question", "A dragon?"])
    expect(stdout).toContain("Dragons sleep.")
    expect((await run(["lint", path])).stdout).toMatch(/^0 errors, 0 warnings/)
    expect((await run(["import", `${folder}/${name}`, `${folder}/made`])).code).toBe(2)
    expect((await run(["import", `${folder}/${name}`, `${folder}/made`, "--force"])).code).toBe(0)
  })

  test("makes a profile of a workspace of OpenClaw, which lints clean and shows its documents and rules", async () => {
    const folder = tempFolder(claw)
    symlinkSync(`${folder}/secret.md`, `${folder}/claw/BOOTSTRAP.md`)
    symlinkSync(`${folder}/secret.md`, `${folder}/claw/memory/2026-01-02.md`)
    const { code, stderr } = await run(["import", `${folder}/claw`, `${folder}/new`])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^A workspace of OpenClaw: it is the profile claw-tools now/)])
    expect(reportIn(stderr)).toEqual([
      "IDENTITY.md: it is the end of SOUL.md now.",
      "AGENTS.md: it is the skill agents, which stands in every prompt. What it says about files and tools of another program does not hold here.",
      "TOOLS.md: it is the skill tools, which stands in every prompt. What it says about files and tools of another program does not hold here.",
      "2026-01-02.md: not taken, because it is no file of its own.",
      "memory/ (files: 2): it lies in the workspace, where the tool read finds it. No prompt shows it by itself.",
      "BOOTSTRAP.md: it is for the first start of another program.",
      "HEARTBEAT.md: nothing runs by itself; it lies in the workspace, and session.wake begins a turn in which it can be read.",
      "not taken: notes.txt.",
    ])
    const path = `${folder}/new/profiles/claw-tools.toml`
    expect((await run(["lint", path])).stdout).toBe("0 errors, 0 warnings in 3 files\n")
    expect(readdirSync(`${folder}/new/workspace/memory`)).toEqual(["2026-01-01.md"])
    const { stdout } = await run(["render", path, "--question", "Hello?"])
    for (const words of ["Be kind.\n\n# IDENTITY", "Ann likes tea.", "Ask before you delete.", "The lamp is called sun."])
      expect(stdout).toContain(words)
    expect(stdout).not.toContain("secret")
    expect(await loadProfile(path, { env: {} })).toMatchObject({ agent: { name: "Claw tools" } })
    const again = await run(["import", `${folder}/claw`, `${folder}/new`])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("Nothing was written.")])
    expect((await run(["import", `${folder}/claw`, `${folder}/new`, "--force"])).code).toBe(0)
  })

  test("makes a profile of an AGENTS.md, also of a folder with one, in this project if it is one", async () => {
    const folder = tempFolder({ "shop/AGENTS.md": "Run the tests.\n", "mine/profiles/x.toml": 'locale = "en"\n' })
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(`${folder}/mine`)
    expect((await run(["import", "../shop/AGENTS.md"])).stderr).toContain("An AGENTS.md: it is a skill now")
    expect((await run(["lint", "shop"])).stdout).toBe("0 errors, 0 warnings in 2 files\n")
    expect((await run(["render", "shop", "--question", "Hi"])).stdout).toContain("Run the tests.")
    expect((await run(["import", "../shop", "../other"])).code).toBe(0)
    expect(existsSync(`${folder}/other/prompts/skills/agents/SKILL.md`)).toBe(true)
  })

  test("makes a profile of settings of MCP servers, without their secrets", async () => {
    const folder = tempFolder({ "mcp.json": JSON.stringify(servers) })
    const { stderr } = await run(["import", `${folder}/mcp.json`, `${folder}/new`])
    expect(reportIn(stderr)).toEqual([
      'server "GitHub Tools": autoApprove: a profile has no such setting.',
      'server "GitHub Tools": it is called github-tools, because its name begins the names of tools.',
      'server "GitHub Tools": args.token: its value was not copied; set PROMPTSTRATA_MCP_GITHUB_TOOLS_ARG_TOKEN_F773CD811D12EF2E in the environment. The file names T there, which is not used.',
      'server "GitHub Tools": env.GITHUB_TOKEN: its value was not copied; set PROMPTSTRATA_MCP_GITHUB_TOOLS_ENV_GITHUB_TOKEN_DACAEC4978F61AF8 in the environment.',
      'server "web": headers.Authorization: its value was not copied; set PROMPTSTRATA_MCP_WEB_HEADER_AUTHORIZATION_6FC5EF2BE7F386CB in the environment.',
      'server "bad": it has neither command nor url.',
    ])
    const path = `${folder}/new/profiles/mcp.toml`
    expect(read(path)).not.toMatch(/ghp_secret|s3/)
    expect(read(path).match(/^\[mcp\.servers\..*\]$/gm)).toEqual(
      ["github-tools", "github-tools.env", "web", "web.headers"].map((name) => `[mcp.servers.${name}]`),
    )
    const { mcp } = await loadProfile(path, { env: {} })
    expect(mcp.servers).toMatchObject({
      "github-tools": {
        command: "npx",
        env: { GITHUB_TOKEN: "${PROMPTSTRATA_MCP_GITHUB_TOOLS_ENV_GITHUB_TOKEN_DACAEC4978F61AF8}" },
      },
      web: {
        url: "https://example.com/mcp",
        headers: { Authorization: "${PROMPTSTRATA_MCP_WEB_HEADER_AUTHORIZATION_6FC5EF2BE7F386CB}" },
        disabled: true,
      },
    })
  })

  test("says of a folder and of files that it cannot take what they are", async () => {
    const folder = tempFolder({ "a/b.txt": "x", "c.json": "{}", "mei.json": JSON.stringify({ name: "Mei", description: "x" }) })
    await run(["import", `${folder}/mei.json`, `${folder}/mei`])
    const found = async (path: string) => (await run(["import", `${folder}/${path}`])).stderr
    expect(await found("a")).toContain("found a folder with other files")
    expect(await found("c.json")).toContain("found other JSON")
    expect(await found("mei/prompts/characters/mei")).toContain("found a card that was imported already")
  })
})
