import { createRequire } from "node:module"
import type { Command } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { ConnectedBot, PlatformOptions } from "../../bots/create-bot.ts"
import { connectDiscord } from "../../bots/discord/connect-discord.ts"
import { connectTelegram } from "../../bots/telegram/connect-telegram.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { openAgent, openProfile } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, addProfileArgument, type CommonOptions, collectValues, type StoreOptions } from "../options.ts"
import { serveWords } from "../words/serve-words.ts"
import { addDrain, untilStopped } from "./serve.ts"

interface BotCommandOptions extends CommonOptions, StoreOptions {
  readonly operator?: readonly string[]
  /** The longest wait for running answers, in seconds. */
  readonly drain: number
}

/** A platform. Its title in capitals, with `_TOKEN` or `_API`, is a variable of the environment. */
interface Platform {
  readonly title: string
  /** The npm package that speaks to it. */
  readonly library: readonly [name: string, versions: string]
  readonly connect: (library: never, options: PlatformOptions) => Promise<ConnectedBot>
}

const platforms: readonly Platform[] = [
  { title: "Telegram", library: ["grammy", "^1.46.0"], connect: (grammy, more) => connectTelegram({ ...more, grammy }) },
  { title: "Discord", library: ["discord.js", "^14.28.1"], connect: (discord, more) => connectDiscord({ ...more, discord }) },
]

/** Adds the commands of `bot`. */
export function add(program: Command, run: RunCommand): void {
  const bots = program.command("bot").description("Let a character listen and answer at a chat platform.")
  for (const platform of platforms) {
    const { title } = platform
    const name = title.toLowerCase()
    const variable = `${title.toUpperCase()}_TOKEN`
    const command = bots
      .command(name)
      .summary(`answer at ${title}`)
      .description(`Let a character listen and answer at ${title}. Its token is in the variable ${variable}.`)
      .option("--operator <id>", `who may answer for others and command in groups, as ${name}:7; repeatable`, collectValues)
    addCommonOptions(addProfileArgument(addDrain(command), "layered"), { store: "optional" }).action(
      (profile: string | undefined, given: Omit<BotCommandOptions, "profile">) =>
        run((context) => listen(platform, { ...given, profile }, context), { debug: given.debug }),
    )
  }
}

/** Answers at a platform until Ctrl-C or SIGTERM, or until the platform ends it. Resolves to the exit code. */
async function listen({ title, library, connect }: Platform, options: BotCommandOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const variable = `${title.toUpperCase()}_TOKEN`
  const token = io.env[variable]?.trim()
  if (!token)
    throw new PromptStrataError("usage", `expected the bot's token in the variable ${variable}, found none.`, {
      hint: "A token is never an option: other users of a computer can see those.",
    })
  const loaded = loadPackage(...library)
  const profile = await openProfile(options, context)
  const words = serveWords(profile.locale)
  const stopped = untilStopped(context).then(() => undefined)
  const store = await openCliStore(options, context)
  const onError = (error: unknown): void => screen.complain(translate(messageOf(error)).replaceAll(token, "[secret]"))
  const api = io.env[`${title.toUpperCase()}_API`]
  const own = { token, api, profile, store, operators: options.operator, onError }
  const failed = (cause: unknown): never => {
    const hint = "Is the token right, and does no other program use it?"
    throw new PromptStrataError("usage", `expected to listen at ${title}, which failed: ${messageOf(cause)}.`, { hint, cause })
  }
  const connecting = openAgent({ profile }, options, context, (parts) => connect(loaded, { ...parts, ...own }).catch(failed))
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
