import { createRequire } from "node:module"
import type { Command } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { ConnectedBot, PlatformOptions } from "../../bots/create-bot.ts"
import { connectDiscord } from "../../bots/discord/connect-discord.ts"
import { connectKoishi } from "../../bots/koishi/connect-koishi.ts"
import { connectTelegram } from "../../bots/telegram/connect-telegram.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { openAgent, openProfile } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, addProfileArgument, type CommonOptions, collectValues, type StoreOptions } from "../options.ts"
import { serveWords } from "../words/serve-words.ts"

import { addDrain, untilStopped } from "./serve.ts"

interface BotCommandOptions extends CommonOptions, StoreOptions {
  /** The configuration of Koishi. */
  readonly config?: string
  readonly operator?: readonly string[]
  /** The longest wait for running answers, in seconds. */
  readonly drain: number
}

/** A platform. Its title in capitals, with `_TOKEN` or `_API`, is a variable of the environment. */
interface Platform {
  readonly title: string
  /** The npm package that speaks to it. */
  readonly library: readonly [name: string, versions: string]
  /** The default configuration, which holds all tokens. Without one, the token is in the variable. */
  readonly config?: string
  readonly connect: (library: never, options: PlatformOptions, config: string) => Promise<ConnectedBot>
}

const platforms: readonly Platform[] = [
  { title: "Telegram", library: ["grammy", "^1.46.0"], connect: (grammy, more) => connectTelegram({ ...more, grammy }) },
  { title: "Discord", library: ["discord.js", "^14.28.1"], connect: (discord, more) => connectDiscord({ ...more, discord }) },
  { title: "Koishi", library: ["koishi", "^4.18.11"], config: "koishi.yml", connect: connectKoishi },
]

/** Adds the commands of `bot`. */
export function add(program: Command, run: RunCommand): void {
  const bots = program.command("bot").description("Let a character listen and answer at a chat platform.")
  for (const platform of platforms) {
    const { title, config } = platform
    const name = title.toLowerCase()
    const description = config
      ? `Let a character listen and answer at the platforms of ${title}. Their adapters and tokens are in ${config}.`
      : `Let a character listen and answer at ${title}. Its token is in the variable ${tokenOf(title)}.`
    const command = bots
      .command(name)
      .summary(`answer at ${title}`)
      .description(description)
      .option(
        "--operator <id>",
        `who may answer for others and command in groups, as ${config ? "onebot" : name}:7; repeatable`,
        collectValues,
      )
    if (config) command.option("--config <file>", "Koishi's configuration", config)
    addCommonOptions(addProfileArgument(addDrain(command), "layered"), { store: "optional" }).action(
      (profile: string | undefined, given: Omit<BotCommandOptions, "profile">) =>
        run((context) => listen(platform, { ...given, profile }, context), { debug: given.debug }),
    )
  }
}

const tokenOf = (title: string): string => `${title.toUpperCase()}_TOKEN`

/** Answers at a platform until Ctrl-C or SIGTERM, or until the platform ends it. Resolves to the exit code. */
async function listen({ title, library, connect }: Platform, options: BotCommandOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const { config = "" } = options
  const token = io.env[tokenOf(title)]?.trim() ?? ""
  if (!token && !config)
    throw new PromptStrataError("usage", `expected the bot's token in the variable ${tokenOf(title)}, found none.`, {
      hint: "A token is never an option: other users of a computer can see those.",
    })
  const loaded = loadPackage(...library)
  const profile = await openProfile(options, context)
  const words = serveWords(profile.locale)
  const stopped = untilStopped(context).then(() => undefined)
  const store = await openCliStore(options, context)
  const onError = (error: unknown): void => screen.complain(translate(messageOf(error)).replaceAll(token || /(?!)/g, "[secret]"))
  const api = io.env[`${title.toUpperCase()}_API`]
  const own = { token, api, profile, store, operators: options.operator, onError }
  const failed = (cause: unknown): never => {
    const hint = config ? undefined : "Is the token right, and does no other program use it?"
    throw new PromptStrataError("usage", `expected to listen at ${title}, which failed: ${messageOf(cause)}.`, { hint, cause })
  }
  const connecting = openAgent({ profile }, options, context, (parts) =>
    connect(loaded, { ...parts, ...own }, config).catch(failed),
  )
  const bot = await Promise.race([connecting, stopped])
  if (bot === undefined) return exitCodes.ok
  io.stdout.write(`${terminalText(`${words.listening(bot.name)}\n${words.ending}`)}\n`)
  const failure = await Promise.race([stopped, bot.ended.catch((error: unknown) => error)])
  screen.note(words.draining(options.drain))
  await bot.close({ signal: AbortSignal.timeout(options.drain * 1000) })
  if (failure) failed(failure)
  screen.note(words.ended)
  return exitCodes.ok
}

/** Loads a package from the folder in which the program runs, else from beside the library. */
function loadPackage(name: string, versions: string): never {
  const require = createRequire(import.meta.filename)
  try {
    return require(require.resolve(name, { paths: [process.cwd(), import.meta.dirname] })) as never
  } catch (cause) {
    const hint = `Run \`npm install ${name}@${versions}\`.`
    throw new PromptStrataError("missing-dependency", `expected the package ${name}, which cannot be loaded.`, { hint, cause })
  }
}
