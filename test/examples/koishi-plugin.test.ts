import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { type ChatServer, startChatServer } from "../support/chat-server.ts"
import { root } from "../support/source-files.ts"
import { examplePackage } from "./support/example-package.ts"
import { publishPlugins } from "./support/koishi-plugins.ts"
import { answersOf, decision, payment, promptOf } from "./support/model-answers.ts"
import { exampleFolder, homeWithPay, type RunningExample, startExample } from "./support/running-example.ts"
import { type SatoriServer, startSatori, token, type WebSocketPackage } from "./support/satori-server.ts"

const folder = exampleFolder("koishi") ?? ""

/** Koishi, as its program `koishi start` runs it: its loader reads koishi.yml and finds each plugin by its name. */
const program = `
const { Loader } = require(${JSON.stringify(`${folder}/node_modules/koishi`)})
async function main() {
  const loader = new Loader()
  await loader.init("koishi.yml")
  await loader.readConfig(true)
  const app = await loader.createApp()
  app.command("dice").action(() => "six")
  app.command("leave").action(() => void (app.bots.splice(0), console.log("all platforms are gone")))
  app.on("login-updated", ({ bot: { user } }) => console.log(user.name + " is here"))
  process.once("SIGINT", (signal) => app.parallel("exit", signal).finally(() => process.exit()))
  await app.start()
}
main()
`

let next = 0
const ann = { id: "7", name: "Ann" }
const inPrivate = (content: string) => ({
  ...{ channel: { id: "private:7", type: 1 }, user: ann },
  message: { id: `${++next}`, content },
})
const inGroup = (content: string, user = ann) => ({
  ...{ channel: { id: "42", type: 0 }, guild: { id: "42", name: "Tea" }, user, member: { user } },
  message: { id: `${++next}`, content },
})

describe.skipIf(folder === "")("koishi-plugin-promptstrata in a real Koishi", () => {
  let [model, satori, koishi, cwd] = [] as unknown as [ChatServer, SatoriServer, RunningExample, string]

  const start = async (more = "") => {
    const lines = [
      ...["plugins:", "  http: {}", "  satori:", `    endpoint: ${satori.endpoint}`, `    token: ${token}`],
      ...["  promptstrata:", "    profile: ./bot.toml", `    baseUrl: ${model.baseUrl}`, "    apiKey: sk-of-koishi", more],
    ]
    writeFileSync(join(cwd, "koishi.yml"), lines.join("\n"))
    writeFileSync(join(cwd, "koishi.cjs"), program)
    koishi = startExample({ program: [cwd, "koishi.cjs"], env: {}, cwd })
    await koishi.shows("Fay is here")
  }

  beforeEach(async ({ onTestFinished }) => {
    publishPlugins(folder)
    model = await startChatServer()
    onTestFinished(() => model.close())
    satori = await startSatori(await examplePackage<WebSocketPackage>(folder, "ws"))
    cwd = homeWithPay()
  })

  test("N27 answers, remembers over a restart in the folder of its configuration, and at the end lets an answer arrive", async () => {
    await start()
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    model.reply(...answersOf("Nice."), { ...answersOf("Momo.")[0], after })
    satori.dispatch("message-created", inPrivate("My cat is Momo."))
    expect((await satori.sent.reach(1))[0]).toMatchObject({ channel_id: "private:7", content: "Nice." })
    expect(model.calls[0]?.headers.authorization).toBe("Bearer sk-of-koishi")
    satori.dispatch("message-created", inPrivate("What is its name?"))
    await model.called(2)
    koishi.interrupt()
    release()
    expect((await koishi.ended).code).toBe(0)
    expect((await satori.sent.reach(2)).at(-1)?.content).toBe("Momo.")
    expect(existsSync(join(cwd, "data/promptstrata"))).toBe(true)
    await start()
    model.reply(...answersOf("Momo, still."))
    satori.dispatch("message-created", inPrivate("And now?"))
    await satori.sent.reach(3)
    for (const words of ["My cat is Momo.", "Nice.", "What is its name?"]) expect(promptOf(model, 2)).toContain(words)
    expect(koishi.written.out + koishi.written.errors).not.toContain("sk-of-koishi")
  })

  test("N27 in a group: who speaks to it, an approval that an operator gives, a reminder, and Koishi's own commands", async () => {
    await start('    operators: ["onebot:8"]')
    satori.dispatch("message-created", inGroup("I like green tea."))
    model.reply(payment, ...answersOf("Paid."))
    satori.dispatch("message-created", inGroup('<at id="99" name="Fay"/> pay!'))
    const asked = (await satori.sent.reach(1))[0]?.content.replaceAll("&quot;", '"') ?? ""
    expect(promptOf(model, 0)).toContain("I like green tea.")
    satori.dispatch("message-created", inGroup(`yes ${/"Yes (\w{6})"/.exec(asked)?.[1]}`, { id: "8", name: "Bob" }))
    expect((await satori.sent.reach(2)).at(-1)).toMatchObject({ channel_id: "42", content: "Paid." })
    expect(readFileSync(join(cwd, "paid"), "utf8")).toBe("once\n")
    const args = { title: "tea", schedule_time: "+1s" }
    model.reply(decision({ action: "tool", tool: "add_schedule", args }), ...answersOf("I will.", "Tea time!"))
    satori.dispatch("message-created", inPrivate("Remind me of my tea."))
    expect((await satori.sent.reach(4)).map(({ content }) => content).slice(2)).toEqual(["I will.", "Tea time!"])
    const asks = model.calls.length
    satori.dispatch("message-created", inPrivate("dice"))
    expect((await satori.sent.reach(5)).at(-1)?.content).toBe("six")
    model.reply(...answersOf("Here."))
    satori.dispatch("message-created", inPrivate("Are you there?"))
    expect((await satori.sent.reach(6)).at(-1)?.content).toBe("Here.")
    expect(model.calls).toHaveLength(asks + 1)
  })

  test("N27 an answer to a platform that is not connected any more is told", async () => {
    await start()
    const { promise: after, resolve: release } = Promise.withResolvers<void>()
    model.reply({ ...answersOf("Nobody hears this.")[0], after })
    satori.dispatch("message-created", inPrivate("hi"))
    await model.called(1)
    satori.dispatch("message-created", inPrivate("leave"))
    await koishi.shows("all platforms are gone")
    release()
    await koishi.shows("onebot is not connected, so that nothing can be sent to private:7.")
    expect(satori.sent.all).toEqual([])
  })

  test("N27 a configuration that cannot be used is told in Koishi's log", async () => {
    await start("    store: postgres://nobody@127.0.0.1:1/none")
    await koishi.shows("promptstrata PromptStrataError: PostgreSQL at postgres://nobody@127.0.0.1:1/none failed")
    satori.dispatch("message-created", inPrivate("dice"))
    expect((await satori.sent.reach(1))[0]?.content).toBe("six")
    expect(koishi.written.out + koishi.written.errors).not.toContain("sk-of-koishi")
  })
})

test("the manifest is that of a plugin of Koishi", () => {
  const manifest = JSON.parse(readFileSync(`${root}examples/koishi/package.json`, "utf8"))
  expect(manifest).toMatchObject({
    name: "koishi-plugin-promptstrata",
    main: "index.cjs",
    koishi: { description: { en: expect.any(String), zh: expect.any(String) } },
  })
})
