import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { parse } from "smol-toml"
import { describe, expect, test } from "vitest"
import { checkServers } from "../../../../src/adapters/mcp/server-settings.ts"
import { filesOfServers, mcpServersIn } from "../../../../src/apps/cli/import/mcp-servers.ts"
import { builtinToolNames } from "../../../../src/node/builtin-tools.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { fakeHttpServer } from "../../../support/mcp/fake-http-server.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { run } from "../run.ts"

/** The import of settings, with the names of the variables that its profile asks for. */
function imported(json: unknown, env: Readonly<Record<string, string>> = {}) {
  const { files, report } = filesOfServers(mcpServersIn(json) ?? [], { file: "a", locale: "en", env })
  const text = files.get("profiles/mcp.toml") ?? ""
  const { mcp } = parse(text) as { readonly mcp?: { readonly servers: Readonly<Record<string, Record<string, unknown>>> } }
  const servers = mcp?.servers ?? {}
  const fields = Object.values(servers).flatMap((one) => [one.env, one.headers].map((table) => Object.values(table ?? {})))
  return { report, servers, variables: fields.flat().map((value) => String(value).slice(2, -1)) }
}

/** Imports a file as a person does, and loads the profile. */
async function loaded(file: string) {
  const folder = tempFolder({ "mcp.json": file })
  const { code, stderr } = await run(["import", `${folder}/mcp.json`, `${folder}/new`])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { mcp } = await loadProfile(`${folder}/new/profiles/mcp.toml`, { env: {} })
  return { servers: mcp.servers, stderr }
}

describe("a server of a stranger's file", () => {
  test("L15: is neither contacted nor started before a person allowed it, and never gets a key that was there", async () => {
    const server = await fakeHttpServer()
    const settings = { url: server.url, headers: { "api-key": "literal" } }
    const touched = join(tempFolder(), "touched")
    const starts = { command: process.execPath, args: ["-e", `require("fs").writeFileSync(${JSON.stringify(touched)}, "")`] }
    const mcpServers = {
      openai: { ...settings, disabled: false, allowed: true, reviewed: true, passEnv: ["OPENAI_API_KEY"] },
      second: { url: server.url, headers: { "x-key": "${OPENAI_API_KEY}" } },
      starts,
    }
    const folder = tempFolder({ "mcp.json": JSON.stringify({ mcpServers }) })
    const env = { OPENAI_API_KEY: "sk-mine" }
    const made = await run(["import", `${folder}/mcp.json`, `${folder}/new`], { env })
    const profile = `${folder}/new/profiles/mcp.toml`
    const shared = ["--data-dir", tempFolder(), "--locale", "en"]
    const list = () => run(["mcp", "list", "--profile", profile, ...shared], { env })
    const own = `${folder}/new/profiles/own.toml`
    writeFileSync(own, 'extends = "./mcp.toml"\n[mcp.servers.openai]\ndisabled = false\n')
    const chat = await run(["chat", own, "--once", "hi", ...shared], { env, model: scriptedModel([finish("Hello.")]) })
    const listed = await list()
    expect(server.requests).toEqual([])
    expect(() => readFileSync(touched)).toThrow("ENOENT")
    expect(chat).toMatchObject({ code: 0, stdout: "Hello.\n" })
    for (const words of [chat.stderr, listed.stdout]) {
      expect(words).toContain(`nobody has reviewed this imported server, which leads to ${server.url}`)
      expect(words).toContain("delete reviewed = false from [mcp.servers.starts] of the profile")
    }
    expect(listed.code).toBe(1)

    const variables = [...readFileSync(profile, "utf8").matchAll(/"\$\{(.*?)\}"/g)].map(([, name]) => name ?? "")
    expect(variables).toEqual([
      expect.stringMatching(/^PROMPTSTRATA_MCP_OPENAI_HEADER_API_KEY_/),
      expect.stringMatching(/^PROMPTSTRATA_MCP_SECOND_HEADER_X_KEY_/),
    ])
    for (const name of variables) expect(made.stderr).toContain(`set ${name} in the environment`)
    const text = readFileSync(profile, "utf8")
    const [ours, theirs = ""] = text.split("[mcp.servers.starts]")
    writeFileSync(profile, `${ours?.replace("reviewed = false\n", "")}[mcp.servers.starts]${theirs}`)
    expect((await list()).stdout).toContain(`needs the environment variable ${variables[0]}, which is not set`)
    expect(server.requests).toEqual([])
    for (const name of variables) Object.assign(env, { [name]: "given" })
    expect((await list()).stdout).toContain("openai (ready)")
    expect(server.requests.map(({ headers }) => headers["api-key"] ?? headers["x-key"])).toContain("given")
    expect(JSON.stringify(server.requests)).not.toContain("sk-mine")
  })

  test("L15: gets no variable that another server, another address or another field has", () => {
    const words = fc.oneof(fc.constantFrom("a_b", "a-b", "A-B", "a", "b", "a.b"), fc.stringMatching(/^[a-zA-Z_.-]{1,12}$/))
    const server = fc.record({
      url: fc.constantFrom("http://a", "http://b"),
      headers: fc.dictionary(words, fc.string()),
      env: fc.dictionary(words, fc.string()),
    })
    fc.assert(
      fc.property(fc.dictionary(words, server), (given) => {
        const { variables } = imported({ mcpServers: given })
        expect(new Set(variables).size).toBe(variables.length)
        for (const name of variables) expect(name).toMatch(/^PROMPTSTRATA_MCP_[A-Z0-9_]+$/)
      }),
      { seed: seedOf(15), numRuns: runs(100) },
    )
    const at = (url: string) => imported({ mcpServers: { a: { url, headers: { key: "v" } } } }).variables[0]
    expect(at("http://a")).toBe(at("http://a"))
    expect(at("http://a")).not.toBe(at("http://b"))
  })

  test("L15: gets another variable where the environment has one of that name", () => {
    const json = { mcpServers: { web: { command: "c", env: { TOKEN: "v" } } } }
    const [name = ""] = imported(json).variables
    const { variables, report } = imported(json, { [name]: "mine", [`${name}_2`]: "mine" })
    expect(variables).toEqual([`${name}_3`])
    expect(report).toEqual([
      `server "web": env.TOKEN: its value was not copied; set ${name}_3 in the environment. ${name} is there already and is not taken.`,
    ])
  })

  test.each(["${OPENAI_API_KEY}", "$OPENAI_API_KEY", "${env:OPENAI_API_KEY}", "Bearer ${input:OPENAI_API_KEY}"])(
    "L15: is not given what %s in its file names, wherever it stands",
    (reference) => {
      const program = { command: reference, args: [reference], cwd: reference, env: { KEY: reference, [`A${reference}`]: "v" } }
      const { report, variables } = imported({
        mcpServers: { a: program, b: { url: `http://b/?k=${encodeURI(reference)}`, headers: { key: reference } } },
      })
      expect(variables).toHaveLength(2)
      expect(report.filter((line) => line.includes(" OPENAI_API_KEY "))).toHaveLength(2)
      expect(report).toEqual(
        expect.arrayContaining(
          ["command", "args", "cwd"].map((key) => `server "a": ${key} names a variable, which is not filled in here.`),
        ),
      )
    },
  )

  test("tells of a secret that may stand in an argument or an address", () => {
    const url = "https://example.org/mcp?api_key=s3"
    const { report, servers } = imported({ mcpServers: { a: { url }, b: { command: "c", args: ["--token-file=x"] } } })
    expect(report).toEqual([
      'server "a": its url may hold a secret; it stands in the file.',
      'server "b": an argument may be a secret; it stands in the file.',
    ])
    expect(servers.a?.url).toBe(url)
  })
})

const secretArguments: readonly (readonly [args: readonly string[], kept: readonly string[]])[] = [
  [
    ["mcp-remote", "https://a", "--header", "Authorization: Bearer s3cret"],
    ["mcp-remote", "https://a", "--header", "Authorization: ?"],
  ],
  [["--header=X-Team: s3cret"], ["--header=X-Team: ?"]],
  [
    ["-H", "Cookie:s3cret"],
    ["-H", "Cookie:?"],
  ],
  [["Authorization: Bearer s3cret"], ["Authorization: ?"]],
  [
    ["--header", "Authorization:${AUTH}s3cret"],
    ["--header", "Authorization:?"],
  ],
  [
    ["--api-key", "s3cret", "--port", "80"],
    ["--api-key", "?", "--port", "80"],
  ],
  [
    ["--accessToken=s3cret", "--verbose"],
    ["--accessToken=?", "--verbose"],
  ],
  [
    ["run", "-e", "ANY=s3cret", "image"],
    ["run", "-e", "ANY=?", "image"],
  ],
  [["GITHUB_TOKEN=s3cret"], ["GITHUB_TOKEN=?"]],
  [["postgresql://ann:s3cret@db/app"], ["postgresql://?@db/app"]],
  [
    ["npx", "ghp_s3cretaB3dE5gH7jK9mN2pQ4rS6"],
    ["npx", "?"],
  ],
  [["${PROMPTSTRATA_MCP_OTHER_ARG_S3CRET_0}"], ["?"]],
]

describe("a secret among the arguments of a stranger's file", () => {
  test.each(secretArguments)("L15: of %j is not copied: it comes from a variable of its own", (args, kept) => {
    const { servers, variables, report } = imported({ mcpServers: { a: { command: "c", args } } })
    const shown = servers.a?.args as readonly string[]
    expect(shown.map((arg) => arg.replace(/\$\{PROMPTSTRATA_MCP_A_ARG_[A-Z0-9_]+\}/, "?"))).toEqual(kept)
    const [variable = ""] = shown.flatMap((arg) => /\$\{(.*)\}/.exec(arg)?.[1] ?? [])
    expect(variables).toEqual([])
    expect(report.join("\n")).toContain(` ${variable} `)
    expect(JSON.stringify([servers, report])).not.toContain("s3cret")
  })

  test("L15: of two arguments alike comes from two variables, and what is none stays", () => {
    const args = [
      "-H",
      "X-A: 1",
      "-H",
      "X-A: 2",
      "--key-file",
      "k.pem",
      "http://a:80/x",
      "--port=80",
      "a: b",
      "C:/work",
      "key: /etc/k",
    ]
    const shown = imported({ mcpServers: { a: { command: "c", args } } }).servers.a?.args as readonly string[]
    expect(shown[1]).not.toBe(shown[3])
    expect(shown.slice(4)).toEqual(args.slice(4))
  })

  test("L15: reaches the program from the variable that the import named, and from no other", async () => {
    const seen = join(tempFolder(), "seen")
    const script = `require("fs").writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(1)) + "\${HOME}")`
    const args = ["-e", script, "x", "--api-key", "literal"]
    const folder = tempFolder({ "mcp.json": JSON.stringify({ mcpServers: { a: { command: process.execPath, args } } }) })
    await run(["import", `${folder}/mcp.json`, `${folder}/new`])
    const profile = `${folder}/new/profiles/mcp.toml`
    const text = readFileSync(profile, "utf8")
    expect(text).not.toContain("literal")
    writeFileSync(profile, text.replace("reviewed = false\n", ""))
    const list = (env: Readonly<Record<string, string>>) =>
      run(["mcp", "list", "--profile", profile, "--data-dir", tempFolder(), "--locale", "en"], { env })
    const [, variable = ""] = /\$\{(PROMPTSTRATA_MCP_A_ARG_API_KEY_\w+)\}/.exec(text) ?? []
    expect((await list({})).stdout).toContain(`needs the environment variable ${variable}, which is not set`)
    await list({ [variable]: "given" })
    expect(readFileSync(seen, "utf8")).toBe(`["x","--api-key","given"]\${HOME}`)
  })
})

describe("names and forms of a stranger's file", () => {
  test("L16: names that a profile refuses are others, and told", async () => {
    const names = [
      "1password",
      "x".repeat(40),
      "__proto__",
      "GitHub",
      "",
      "!!",
      "read",
      "constructor",
      "valueOf",
      "a b",
      "a-b",
      "文件",
    ]
    const entries = names.map((name) => `${JSON.stringify(name)}:{"command":"c"}`)
    const { servers, stderr } = await loaded(`{"mcpServers":{${entries.join()}}}`)
    expect(Object.keys(servers)).toEqual([
      "server-1password",
      "x".repeat(28),
      "proto",
      "github",
      "server",
      "server-2",
      "read-2",
      "constructor-2",
      "valueof",
      "a-b",
      "a-b-2",
      "server-3",
    ])
    expect(stderr).toContain('server "1password": it is called server-1password')
    expect(stderr).toContain('server "__proto__": it is called proto')
  })

  test("L16: a profile of any names and words loads, with as many servers as were taken", async () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(
        "__proto__",
        "1password",
        "constructor",
        "toString",
        "",
        "-",
        "read",
        '"',
        "\\",
        "a\nb",
        "\u0000",
        "x".repeat(70),
      ),
    )
    const url = fc.oneof(words, fc.webUrl(), fc.constantFrom("http://a:b@c", "ftp://a", "http://a/sse"))
    const table = fc.dictionary(words, words)
    const server = fc.record(
      {
        command: words,
        args: fc.array(words),
        env: table,
        headers: table,
        url,
        cwd: words,
        type: fc.constantFrom("sse", "http"),
      },
      { requiredKeys: [] },
    )
    const folder = tempFolder()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(words, server)), async (given) => {
        const { files, report } = filesOfServers(given, { file: "a", locale: "en", env: {} })
        const text = files.get("profiles/mcp.toml") ?? ""
        writeFileSync(`${folder}/mcp.toml`, text)
        const { mcp } = await loadProfile(`${folder}/mcp.toml`, { env: {} })
        const left = report.filter((line) => /: (?:it has neither|it speaks SSE|it is left out)/.test(line))
        expect(Object.keys(mcp.servers)).toHaveLength(given.length - left.length)
        expect(() => checkServers(mcp.servers, builtinToolNames)).not.toThrow()
        for (const { reviewed } of Object.values(mcp.servers)) expect(reviewed).toBe(false)
        for (const { env = {}, headers = {} } of Object.values(mcp.servers)) {
          expect(() => new Headers(headers as Record<string, string>)).not.toThrow()
          for (const value of [...Object.values(env), ...Object.values(headers)]) expect(value).toMatch(/^\$\{PROMPTSTRATA_MCP_/)
        }
      }),
      { seed: seedOf(16), numRuns: runs(60) },
    )
  })

  test.each([
    [
      "Zed's settings, with their comments",
      `// Zed settings\n{ "theme": "One // dark", "context_servers": {\n  "a": { "command": { "path": "npx", "args": ["x,]"], "env": { "K": "v" } }, "settings": {}, }, /* own */\n  "b": { "source": "custom", "command": "npx", "args": ["x,]"], "env": { "K": "v" } },\n} }`,
      ["a", "b"],
    ],
    ["a bare list", '[{"name":"a","command":"npx","args":["x,]"],"env":{"K":"v"}},{"name":"b","url":"http://b"}]', ["a", "b"]],
    ["a list in its wrapper", '{"mcpServers":[{"name":"a","command":"npx","args":["x,]"],"env":{"K":"v"}}]}', ["a"]],
    ["a bare map", '{"a":{"command":"npx","args":["x,]"],"env":{"K":"v"}},"servers":{"url":"http://b"}}', ["a", "servers"]],
    ["the settings of an editor", '{"mcp":{"servers":{"a":{"command":"npx","args":["x,]"],"env":{"K":"v"}}}}}', ["a"]],
  ])("%s is read", async (_, file, names) => {
    const { servers } = await loaded(file)
    expect(Object.keys(servers)).toEqual(names)
    for (const { command, args, env } of Object.values(servers).filter((one) => one.command !== undefined))
      expect({ command, args, env: Object.keys(env ?? {}) }).toEqual({ command: "npx", args: ["x,]"], env: ["K"] })
  })

  test("L16: a server that speaks SSE is told, and not taken", () => {
    const mcpServers = {
      a: { type: "sse", url: "http://a" },
      b: { transport: "SSE", serverUrl: "http://b" },
      e: { transport: { type: "sse" }, url: "http://e" },
      f: { transportType: "sse", url: "http://f" },
      g: { transport: { type: "sse", url: "http://g" } },
      c: { url: "http://c/sse" },
      d: { url: "http://d" },
    }
    const { servers, report } = imported({ mcpServers })
    expect(Object.keys(servers)).toEqual(["c", "d"])
    const notTaken = "it speaks SSE, and only streamable HTTP is spoken here, so it is not taken."
    expect(report).toEqual([
      `server "a": ${notTaken}`,
      `server "b": ${notTaken}`,
      `server "e": ${notTaken}`,
      `server "f": ${notTaken}`,
      `server "g": ${notTaken}`,
      'server "c": its url looks like one of SSE; only streamable HTTP is spoken here.',
    ])
  })

  test.each([
    ["a bare list", (list: readonly unknown[]) => list],
    ["a wrapped list", (mcpServers: readonly unknown[]) => ({ mcpServers })],
  ])("L16: of %s with a bad entry the good ones are taken, and the bad one is told", (_, wrapped) => {
    const good = { name: "a", transport: { type: "stdio", command: "c", args: ["--port", 80] } }
    const { servers, report } = imported(wrapped([good, "bad", { name: "b", url: "http://b" }, { name: "c" }, null]))
    expect(Object.keys(servers)).toEqual(["a", "b"])
    expect(servers.a).toMatchObject({ command: "c", args: ["--port", "80"] })
    expect(report).toEqual([
      'server "entry 2": it has neither command nor url.',
      'server "c": it has neither command nor url.',
      'server "entry 5": it has neither command nor url.',
    ])
  })
})
