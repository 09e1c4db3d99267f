import { writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import OpenAI from "openai"
import { describe, expect, test } from "vitest"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { collect } from "../../../support/collect.ts"
import { png } from "../../../support/pictures.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { plainProfile, run, start } from "../run.ts"

const ask = { model: "plain", messages: [{ role: "user" as const, content: "hi" }] }
const key = "a-long-key"

/** Starts the program; resolves once it listens. */
async function serving(args: readonly string[], { model }: { readonly model?: LanguageModel } = {}) {
  const started = start(["serve", plainProfile, "--port", "0", ...args], { model: model ?? scriptedModel([]) })
  await started.shows("SIGTERM")
  const url = /http:\/\/\S+:\d+/.exec(started.written.stdout)?.[0] ?? ""
  const stop = async () => {
    started.interrupt()
    return { code: await started.code, ...started.written }
  }
  const client = (headers = {}) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers })
  return { ...started, url, stop, client }
}

/** The status of a request with headers that `fetch` does not let a program set. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/models`, { headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on("error", reject).end()
  })
}

describe("promptstrata serve", () => {
  test("prints the address and how to use it, answers the openai client, and ends at Ctrl-C", async () => {
    const { client, stop, written } = await serving(["--no-store"], { model: scriptedModel([finish("One."), finish("Two.")]) })
    expect(written.stdout.replaceAll(/:\d{3,5}/g, ":PORT")).toMatchInlineSnapshot(`
      "Serving plain at http://127.0.0.1:PORT
        OpenAI API   http://127.0.0.1:PORT/v1
        useChat      http://127.0.0.1:PORT/api/chat
        AG-UI        http://127.0.0.1:PORT/ag-ui
      Programs of this computer may ask without a key.
      Ctrl-C or SIGTERM lets running answers end. Ctrl-C twice ends at once.
      "
    `)
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(["plain"])
    expect((await client().chat.completions.create(ask)).choices[0]?.message.content).toBe("One.")
    const chunks = await collect(await client().chat.completions.create({ ...ask, stream: true }))
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Two.")
    expect(await stop()).toMatchObject({ code: 0, stderr: expect.stringMatching(/Ended\.\n$/) })
  })

  test("N17 a phone's photo passes, and --max-body bounds a request", async () => {
    const url = `data:image/png;base64,${Buffer.from(png(4032, 3024, { bytes: 4_000_000 })).toString("base64")}`
    const photo = { type: "image_url" as const, image_url: { url } }
    const asked = { ...ask, messages: [{ role: "user" as const, content: [photo] }] }
    const wide = await serving(["--no-store"], { model: scriptedModel([finish("Seen.")]) })
    expect((await wide.client().chat.completions.create(asked)).choices[0]?.message.content).toBe("Seen.")
    await wide.stop()
    const narrow = await serving(["--no-store", "--max-body", "1000"])
    await expect(narrow.client().chat.completions.create(asked)).rejects.toMatchObject({ status: 413 })
    await narrow.stop()
  })

  test("each profile is a model", async () => {
    const { client, stop } = await serving(["fay", "--no-store"])
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(["plain", "fay"])
    await stop()
  })

  test.each<[string, readonly string[], string]>([
    ["an address that others reach, without a key", ["--host", "0.0.0.0"], 'expected a key, as "0.0.0.0" may be reached'],
    ["a key that no header can hold", ["--key", "schlüssel"], "expected a key of letters"],
    ["an empty key", ["--key", ""], "expected a key of letters"],
    ["a port that is none", ["--port", "65536"], "Expected a port"],
    ["two profiles of one agent", [plainProfile], 'found two of the name "plain"'],
    ["an address of another computer", ["--host", "192.0.2.1", "--key", "k"], "this computer has no such address"],
    ["a limit that is none", ["--max-turns", "-1"], "Expected a whole number"],
    ["a file of keys that is not there", ["--keys", "/none/keys.toml"], "which cannot be read"],
  ])("%s is wrong usage", async (_, args, said) => {
    const { code, stdout, stderr } = await run(["serve", plainProfile, ...args], { model: scriptedModel([]) })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(said)
  })

  test("a port that is taken is named", async () => {
    const { url, stop } = await serving([])
    const { port } = new URL(url)
    const { code, stderr } = await run(["serve", plainProfile, "--port", port], { model: scriptedModel([]) })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`127.0.0.1:${port}, but another program listens there`)])
    await stop()
  })
})

describe("without a key", () => {
  test.each<[string, Record<string, string>, number]>([
    ["a program of this computer", { host: "127.0.0.1:8787" }, 200],
    ["one that says localhost", { host: "localhost" }, 200],
    ["a page of this computer", { origin: "http://localhost:3000" }, 200],
    ["a name that points here", { host: "evil.test:8787" }, 403],
    ["a name that begins alike", { host: "127.0.0.1.evil.test" }, 403],
    ["a page from elsewhere", { origin: "https://evil.test" }, 403],
    ["a page without origin", { origin: "null" }, 403],
    ["a user", { "x-user": "ann" }, 403],
  ])("%s gets its answer", async (_, headers, status) => {
    const { url, stop } = await serving(["--no-store"])
    expect(await statusOf(url, headers)).toBe(status)
    await stop()
  })
})

describe("with a key", () => {
  test.each<[string, Record<string, string>, number]>([
    ["none", {}, 401],
    ["a wrong one", { authorization: "Bearer a-long-kez" }, 401],
    ["the beginning of it", { authorization: "Bearer a-long" }, 401],
    ["it, behind a scheme in other letters", { authorization: `bearer ${key}` }, 200],
    ["it, from any host", { authorization: `Bearer ${key}`, host: "bot.test", origin: "https://bot.test" }, 200],
    ["it, and a name that is none", { authorization: `Bearer ${key}`, "x-user": "a b" }, 400],
  ])("%s", async (_, headers, status) => {
    const { url, stop } = await serving(["--no-store", "--key", key])
    expect(await statusOf(url, headers)).toBe(status)
    await stop()
  })

  test("a conversation that is named is kept, and belongs to its user", async () => {
    const prompts: string[] = []
    const model: LanguageModel = {
      ...scriptedModel([]),
      // Requests of jobs come at any time, and are not looked at.
      async *stream({ messages, facts }, options) {
        if (facts?.background !== true) prompts.push(JSON.stringify(messages))
        yield* scriptedModel([finish(`answer ${prompts.length}`)]).stream({ messages }, options)
      },
    }
    const folder = tempFolder()
    const { client, stop } = await serving(["--key", key, "--store", folder, "--data-dir", folder], { model })
    for (const headers of [{}, { "x-conversation": "c" }, { "x-conversation": "c" }, { "x-conversation": "c", "x-user": "ann" }])
      await client(headers).chat.completions.create(ask)
    expect((await stop()).code).toBe(0)
    expect(prompts.map((prompt) => [1, 2, 3].filter((count) => prompt.includes(`answer ${count}`)))).toEqual([[], [], [2], []])
  })
})

test("N3 a user over a limit is told when to ask again, each key's user alone", async () => {
  const file = join(tempFolder(), "keys.toml")
  writeFileSync(file, `${JSON.stringify(key)} = "ann"\n"other" = "bob"\n`)
  const { client, url, stop } = await serving(["--no-store", "--keys", file, "--user-requests", "1"], {
    model: scriptedModel([finish("One.")]),
  })
  await client().chat.completions.create(ask)
  const error: unknown = await client()
    .chat.completions.create(ask)
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get("retry-after")).toBe("60")
  expect(await statusOf(url, { authorization: "Bearer other" })).toBe(200)
  expect(await statusOf(url, { authorization: "Bearer other", "x-user": "ann" })).toBe(403)
  await stop()
})

describe("the end", () => {
  /** A model that answers when it may. */
  function waitingModel() {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const answer = scriptedModel([finish("At last.")])
    const model: LanguageModel = {
      ...answer,
      async *stream(given, options) {
        asked.resolve()
        await Promise.race([gate.promise, new Promise((resolve) => options.signal.addEventListener("abort", resolve))])
        options.signal.throwIfAborted()
        yield* answer.stream(given, options)
      },
    }
    return { model, asked: asked.promise, open: gate.resolve }
  }

  test("lets a running answer end, and takes no other", async () => {
    const { model, asked, open } = waitingModel()
    const { client, url, interrupt, code } = await serving(["--no-store"], { model })
    const answered = client().chat.completions.create(ask)
    await asked
    interrupt()
    await expect(fetch(`${url}/v1/models`)).rejects.toThrow("fetch failed")
    open()
    expect((await answered).choices[0]?.message.content).toBe("At last.")
    expect(await code).toBe(0)
  })

  test("ends an answer that takes longer than it may, in words", async () => {
    const { model, asked } = waitingModel()
    const { client, stop } = await serving(["--no-store", "--drain", "0"], { model })
    const answered = client()
      .chat.completions.create(ask)
      .catch((error: unknown) => error)
    await asked
    expect((await stop()).code).toBe(0)
    expect(await answered).toMatchObject({ status: 503 })
  })

  test("a second Ctrl-C cuts all", async () => {
    const { model, asked } = waitingModel()
    const { client, interrupt, code } = await serving(["--no-store"], { model })
    const answered = client()
      .chat.completions.create(ask)
      .catch((error: unknown) => error)
    await asked
    interrupt()
    interrupt()
    expect(await code).toBe(130)
    expect(await answered).toBeInstanceOf(Error)
  })

  test("SIGTERM does the same as the first Ctrl-C", async () => {
    const { terminate, code, written } = await serving(["--no-store"])
    terminate()
    expect([await code, written.stderr]).toEqual([0, expect.stringContaining("Ended.")])
  })
})
