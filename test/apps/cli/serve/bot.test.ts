import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { root } from "../../../support/source-files.ts"
import { plainProfile, run } from "../run.ts"

const dependenciesOf = (name: string) => JSON.parse(readFileSync(`${root}examples/${name}/package.json`, "utf8")).dependencies
const withToken = { TELEGRAM_TOKEN: "12345:secret", DISCORD_TOKEN: "OTk.secret" }
const koishi = JSON.parse(readFileSync(`${root}examples/koishi/package.json`, "utf8")).peerDependencies.koishi
const [grammy, discord] = [dependenciesOf("telegram").grammy, dependenciesOf("discord")["discord.js"]]

test.each<[string, readonly string[], Readonly<Record<string, string>>, number, string]>([
  ["no token", ["telegram"], {}, 2, "expected the bot's token in the variable TELEGRAM_TOKEN, found none."],
  ["a blank token", ["telegram"], { TELEGRAM_TOKEN: " " }, 2, "in the variable TELEGRAM_TOKEN"],
  ["no token, in Chinese", ["telegram", "--locale", "zh-CN"], {}, 2, "环境变量 TELEGRAM_TOKEN 中没有"],
  ["no package", ["telegram"], withToken, 1, `npm install grammy@${grammy}`],
  ["no package, in Chinese", ["telegram", "--locale", "zh-CN"], withToken, 1, "无法加载 grammy 包"],
  [
    "no package, in Chinese, says what to install",
    ["telegram", "--locale", "zh-CN"],
    withToken,
    1,
    "请运行 `npm install grammy@",
  ],
  ["no token of Discord", ["discord"], { TELEGRAM_TOKEN: "12345:secret" }, 2, "in the variable DISCORD_TOKEN, found none."],
  ["no token of Discord, in Chinese", ["discord", "--locale", "zh-CN"], {}, 2, "环境变量 DISCORD_TOKEN 中没有"],
  ["no package for Discord", ["discord"], withToken, 1, `npm install discord.js@${discord}`],
  ["no package for Koishi", ["koishi"], {}, 1, `npm install koishi@${koishi}`],
  ["no package for Koishi, in Chinese", ["koishi", "--locale", "zh-CN"], {}, 1, "无法加载 koishi 包"],
  ["another platform", ["irc"], {}, 2, "unknown command 'irc'"],
  ["a token as an option", ["telegram", "--token", "12345:secret"], {}, 2, "unknown option '--token'"],
])("N26 bot refuses %s in words, and shows no token", async (_, args, env, code, said) => {
  const [platform = "", ...options] = args
  const done = await run(["bot", platform, plainProfile, ...options], { env })
  expect(done).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(said) })
  expect(done.stderr).not.toContain("secret")
})
