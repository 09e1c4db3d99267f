import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { examplePackage } from "./support/example-package.ts"
import { publishPlugins } from "./support/koishi-plugins.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import {
  botCommand,
  exampleFolder,
  homeWithPay,
  type RunningExample,
  startExample,
  withPackages,
} from "./support/running-example.ts"
import { elementWords, type SatoriServer, startSatori, token, type WebSocketPackage } from "./support/satori-server.ts"

const folder = exampleFolder("koishi") ?? ""

let next = 0
const [ann, bob] = [
  { id: "7", name: "Ann" },
  { id: "8", name: "Bob" },
]
const messageOf = (content: string, id = `${++next}`) => ({
  ...{ channel: { id: "private:7", type: 1 }, user: ann },
  message: { id, content },
})
const inGroup = (content: string, user = ann) => ({
  ...{ channel: { id: "42", type: 0 }, guild: { id: "42", name: "Tea" }, user, member: { user } },
  message: { id: `${++next}`, content },
})

/** A plugin of the user's, with a command. It says when a platform is there. */
const plugin = `exports.apply = (ctx) => {
  ctx.command("dice").action(() => "six")
  ctx.on("login-updated", ({ bot: { user } }) => console.log(user.name + " is here"))
}`

describe.skipIf(folder === "")("promptstrata bot koishi", () => {
  let [model, satori, cwd] = [] as unknown as [ChatServer, SatoriServer, string]

  const start = (file = "koishi.yml", more: readonly string[] = []): RunningExample => {
    const lines = [
      "# My platforms.",
      "plugins:",
      "  http: {}",
      "  ./own.cjs: {}",
      "  satori:",
      `    endpoint: ${satori.endpoint}`,
    ]
    writeFileSync(join(cwd, file), [...lines, "    token: $" + "{{ env.SATORI_TOKEN }}", ...more].join("\n"))
    const program = botCommand("koishi", "./bot.toml", "--operator", "onebot:8", ...(more.length ? ["--config", file] : []))
    const env = { SATORI_TOKEN: token, OPENAI_BASE_URL: model.baseUrl, PROMPTSTRATA_MODEL: "gpt-5-mini" }
    return startExample({ program, env, cwd })
  }

  beforeEach(async ({ onTestFinished }) => {
    model = await startChatServer()
    onTestFinished(() => model.close())
    satori = await startSatori(await examplePackage<WebSocketPackage>(folder, "ws"))
    publishPlugins(folder)
    cwd = withPackages(homeWithPay(), folder)
    writeFileSync(join(cwd, "own.cjs"), plugin)
  })

  test("N29 answers behind Koishi's commands, keeps the conversation over a restart, and at the end lets an answer arrive", async () => {
    const bot = start()
    await bot.shows("Fay is here")
    expect(bot.written.out).toContain("Fay listens")
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    model.reply(...answersOf("Nice."), { ...answersOf("Momo.")[0], after })
    satori.dispatch("message-created", messageOf("My cat is Momo."))
    expect((await satori.sent.reach(1))[0]).toMatchObject({ channel_id: "private:7", content: "Nice." })
    satori.dispatch("message-created", messageOf("dice"))
    expect((await satori.sent.reach(2))[1]?.content).toBe("six")
    satori.dispatch("message-created", messageOf("What is its name?"))
    await model.called(2)
    bot.interrupt()
    await bot.tells("for running answers")
    release()
    expect(await bot.ended).toMatchObject({ code: 0, errors: expect.stringMatching(/Ended\.\n$/) })
    expect((await satori.sent.reach(3))[2]?.content).toBe("Momo.")
    await start().shows("Fay is here")
    model.reply(...answersOf("Momo, still."))
    satori.dispatch("message-created", messageOf("And now?"))
    await satori.sent.reach(4)
    for (const words of ["My cat is Momo.", "Nice.", "What is its name?"]) expect(promptOf(model, 2)).toContain(words)
  })

  test("N29 an approval that an operator gives, a reminder and an edit", async () => {
    await start().shows("Fay is here")
    model.reply(payment, ...answersOf("Paid."))
    satori.dispatch("message-created", inGroup('<at id="99" name="Fay"/> pay!'))
    const asked = (await satori.sent.reach(1))[0]?.content.replaceAll("&quot;", '"') ?? ""
    satori.dispatch("message-created", inGroup(`yes ${/"Yes (\w{6})"/.exec(asked)?.[1]}`, bob))
    expect((await satori.sent.reach(2))[1]).toMatchObject({ channel_id: "42", content: "Paid." })
    expect(readFileSync(join(cwd, "paid"), "utf8")).toBe("once\n")
    const args = { title: "tea", schedule_time: "+1s" }
    model.reply(
      decision({ action: "tool", tool: "add_schedule", args }),
      ...answersOf("I will.", "Tea time!", "Cake?", "Pie, then."),
    )
    satori.dispatch("message-created", messageOf("Remind me of my tea."))
    expect((await satori.sent.reach(4)).map(({ content }) => content).slice(2)).toEqual(["I will.", "Tea time!"])
    satori.dispatch("message-created", messageOf("I like cake.", "m1"))
    await satori.sent.reach(5)
    satori.dispatch("message-updated", messageOf("I like pie.", "m1"))
    expect((await satori.sent.reach(6))[5]?.content).toBe("Pie, then.")
    expect(promptOf(model, model.calls.length - 1)).not.toContain("I like cake.")
  })

  test("N34 videos, faces and cards are named in words, forwarded words are marked, and lines stay lines", async () => {
    await start().shows("Fay is here")
    model.reply(...answersOf(...elementWords.map((_, at) => `Answer ${at}.`)))
    for (const [at, [content, words]] of elementWords.entries()) {
      satori.dispatch("message-created", messageOf(content))
      await satori.sent.reach(at + 1)
      expect(promptOf(model, at)).toContain(words)
    }
  })

  test("N37 leaves the configuration, with its comments, and the package.json of the folder as they are", async () => {
    const manifest = '{ "name": "mine" }'
    writeFileSync(join(cwd, "package.json"), manifest)
    const bot = start()
    await bot.shows("Fay is here")
    expect(readFileSync(join(cwd, "package.json"), "utf8")).toBe(manifest)
    expect(readFileSync(join(cwd, "koishi.yml"), "utf8")).toMatch(/^# My platforms\.\nplugins:\n {2}http: \{\}\n/u)
  })

  test("N29 says that the plugin is on already, and that a configuration is missing", async () => {
    const twice = start("other.yml", ["  promptstrata:", "    profile: ./bot.toml"])
    expect(await twice.ended).toMatchObject({ code: 2, errors: expect.stringContaining("promptstrata is on in other.yml") })
    const program = botCommand("koishi", "./bot.toml", "--config", "none.yml")
    const { code, errors } = await startExample({ program, env: {}, cwd }).ended
    expect([code, errors]).toEqual([2, expect.stringContaining("none.yml")])
  })
})
