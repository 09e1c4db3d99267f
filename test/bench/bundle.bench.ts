import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import type { BenchResult } from "./bench.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const built = `${root}dist/index.js`
const folder = `${root}dist/bundle-bench`

/** The requirements, and what holds: a little over what is measured. */
const wantedToPeer = 0.8
const mostOfSmallest = 0.98
const mostOfChat = 0.98
const mostToPeer = 1.41
const mostAssemblyKb = 40

const server = `
  const chunk = (delta, finish_reason) => ({ id: "c", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason }] })
  const lines = [chunk({ role: "assistant", content: process.env.ANSWER }, null), chunk({}, "stop")]
  const body = lines.map((line) => "data: " + JSON.stringify(line) + "\\n\\n").join("") + "data: [DONE]\\n\\n"
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } })`

const provider = `${server}
  import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
  const model = createOpenAICompatible({ name: "local", baseURL: "http://localhost/v1", fetch })("m")`

const bot = (settings = "") => `
  import { createAgent, loadDialect, resolveProfile } from "../index.js"
  await loadDialect("layered", "en")
  const agent = createAgent({ profile: resolveProfile({ persona: "You are Mira.", ${settings} }), model: ours })
  const result = await agent.session("chat").send("Hi.").result
  console.log(result.ok ? result.text : result.error)`

const ownModel = `${server}
  import { openaiModel } from "../models/openai.js"
  const ours = openaiModel({ model: "m", baseUrl: "http://localhost/v1", fetch })`

/** Programs as somebody would write them. Each says "Hello." as proof that it ran to its end. */
const programs = {
  smallest: ownModel + bot(),
  chat: ownModel + bot('loop: { mode: "chat" }'),
  ours: `${provider}
    import { aiSdkModel } from "../models/ai-sdk.js"
    const ours = aiSdkModel(model)
    ${bot()}`,
  aiSdk: `${provider}
    import { streamText } from "ai"
    console.log(await streamText({ model, system: "You are Mira.", prompt: "Hi." }).text)`,
  assembly: `
    import { assemble, loadDialect, PromptStack } from "../index.js"
    const stack = new PromptStack()
    stack.add("persona", "You are Mira.")
    const { messages } = assemble(stack, { dialect: await loadDialect("layered", "en") })
    console.log(messages[0].content.includes("You are Mira.") ? "Hello." : messages)`,
}

type Program = keyof typeof programs

const decision = JSON.stringify({ action: "finish", message: "Hello." })

const answers: Partial<Record<Program, string>> = {
  smallest: decision,
  chat: "Hello.",
  ours: decision,
  aiSdk: "Hello.",
}

/** Bytes that a minified bundle with code splitting has loaded when its work is done: of code, and of the texts of prompts. */
interface Size {
  readonly code: number
  readonly prompts: number
}

/** What a bundled program loads, gzip, beside the AI SDK's. A tokenizer's ranks are no part of either: tokens are estimated. */
export async function run(): Promise<BenchResult> {
  if (!existsSync(built)) throw new Error("dist/index.js is missing: run npm run build")
  mkdirSync(folder, { recursive: true })
  try {
    const [smallest, chat, ours] = [await sizeOf("smallest"), await sizeOf("chat"), await sizeOf("ours")]
    const [aiSdk, assembly] = [await sizeOf("aiSdk"), await sizeOf("assembly")]
    const toPeer = ({ code, prompts }: Size): number => (code + prompts) / (aiSdk.code + aiSdk.prompts)
    const kb = (bytes: number): string => `${(bytes / 1000).toFixed(3)} kB`
    const row = (what: string, size: Size, bound = "") => ({
      what,
      code: kb(size.code),
      "texts of prompts": size.prompts === 0 ? "" : kb(size.prompts),
      "beside the AI SDK": what === "`assemble` alone" ? "" : `${toPeer(size).toFixed(2)}×`,
      bound,
    })
    const atMost = (what: string, size: Size, most: number) => ({
      name: `${what} loads at most ${most} of the bytes of the AI SDK's`,
      ok: toPeer(size) <= most,
      detail: toPeer(size).toFixed(3),
    })
    return {
      title: "Bundles, gzip (minified, split; what is loaded when the first answer is there)",
      rows: [
        row("the smallest bot: createAgent, openaiModel", smallest, `${mostOfSmallest}× (wanted: ${wantedToPeer}×)`),
        row("the same, which chats without a planner", chat, `${mostOfChat}× (wanted: ${wantedToPeer}×)`),
        row("a bot: createAgent, aiSdkModel, a provider", ours, `${mostToPeer}× (wanted: ${wantedToPeer}×)`),
        row("a bot of the AI SDK: streamText, the same provider", aiSdk),
        row("`assemble` alone", assembly, `${mostAssemblyKb} kB of code`),
      ],
      gates: [
        atMost("the smallest bot", smallest, mostOfSmallest),
        atMost("the smallest bot that only chats", chat, mostOfChat),
        atMost("a bot with the same provider", ours, mostToPeer),
        {
          name: `a program that only assembles loads at most ${mostAssemblyKb} kB of code`,
          ok: assembly.code <= mostAssemblyKb * 1000,
          detail: kb(assembly.code),
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function sizeOf(program: Program): Promise<Size> {
  const entry = `${folder}/${program}.mjs`
  writeFileSync(entry, programs[program])
  const bundle = await rolldown({ input: entry, platform: "node", onLog: () => undefined })
  const out = `${folder}/${program}`
  await bundle.write({ dir: out, minify: true, entryFileNames: "[name].js", chunkFileNames: "[name].js" })
  await bundle.close()
  const files = loadedFiles(`${out}/${program}.js`, answers[program] ?? "").filter((file) => file.startsWith(out))
  const bytes = (some: readonly string[]): number => some.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
  const isPrompts = (file: string): boolean => /\.(?:en|zh-CN)\.js$/.test(file)
  return { code: bytes(files.filter((file) => !isPrompts(file))), prompts: bytes(files.filter(isPrompts)) }
}

/** Runs a bundle in a fresh process, and yields the files that it loaded. */
function loadedFiles(file: string, answer: string): string[] {
  const script = `
    import { registerHooks } from "node:module"
    import { fileURLToPath } from "node:url"
    const loaded = []
    registerHooks({ load(url, context, next) { if (url.startsWith("file:")) loaded.push(fileURLToPath(url)); return next(url, context) } })
    await import(process.argv[1])
    console.log(JSON.stringify(loaded))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, file], {
    encoding: "utf8",
    env: { ...process.env, ANSWER: answer },
  })
  const [said, list = ""] = stdout.split("\n")
  if (status !== 0 || said !== "Hello.") throw new Error(`the bundle ${file} failed, it said ${said}:\n${stderr}`)
  return JSON.parse(list) as string[]
}
