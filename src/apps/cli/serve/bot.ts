import { createRequire } from "node:module"
import type { Command } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import { connectTelegram, type TelegramOptions } from "../../bots/telegram/connect-telegram.ts"
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

/** Adds the command `bot telegram`. */
export function add(program: Command, run: RunCommand): void {
  const bots = program.command("bot").description("Let a character listen and answer at a chat platform.")
  const command = bots
    .command("telegram")
    .summary("answer at Telegram")
    .description("Let a character listen and answer at Telegram. Its token is in the variable TELEGRAM_TOKEN.")
    .option("--operator <id>", "who may answer for others and command in groups, as telegram:7; repeatable", collectValues)
  addCommonOptions(addProfileArgument(addDrain(command), "layered"), { store: "optional" }).action(
    (profile: string | undefined, given: Omit<BotCommandOptions, "profile">) =>
      run((context) => listen({ ...given, profile }, context), { debug: given.debug }),
  )
}

/** Answers at Telegram until Ctrl-C or SIGTERM, or until Telegram ends it. Resolves to the exit code. */
async function listen(options: BotCommandOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const token = io.env.TELEGRAM_TOKEN?.trim()
  if (!token)
    throw new PromptStrataError("usage", "expected the bot's token in the variable TELEGRAM_TOKEN, found none.", {
      hint: "A token is never an option: other users of a computer can see those.",
    })
  const grammy = loadPackage("grammy", "^1.46.0") as TelegramOptions["grammy"]
  const profile = await openProfile(options, context)
  const words = serveWords(profile.locale)
  const stopped = untilStopped(context).then(() => undefined)
  const store = await openCliStore(options, context)
  const onError = (error: unknown): void => screen.complain(translate(messageOf(error)).replaceAll(token, "[secret]"))
  const own = { grammy, token, api: io.env.TELEGRAM_API, profile, store, operators: options.operator, onError }
  const connecting = openAgent({ profile }, options, context, (parts) => connectTelegram({ ...parts, ...own }).catch(failed))
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

function failed(cause: unknown): never {
  const hint = "Is the token right, and does no other program use it?"
  throw new PromptStrataError("usage", `expected to listen at Telegram, which failed: ${messageOf(cause)}.`, { hint, cause })
}

/** Loads a package from the folder in which the program runs, else from beside the library. */
function loadPackage(name: string, versions: string): unknown {
  const require = createRequire(import.meta.filename)
  try {
    return require(require.resolve(name, { paths: [process.cwd(), import.meta.dirname] }))
  } catch (cause) {
    const hint = `Run \`npm install ${name}@${versions}\`.`
    throw new PromptStrataError("missing-dependency", `expected the package ${name}, which cannot be loaded.`, { hint, cause })
  }
}
