import type { Command } from "commander"
import type { Agent } from "../../agent/agent.ts"
import { terminalText } from "../../encode/terminal-text.ts"
import type { Inspector, InspectorOptions, InspectorServer } from "../../server/inspector/inspector.ts"
import { chooseOwnModels } from "../choose-model.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { conversationName, latestConversation, openAgent, openWatchedProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, addProfileArgument, type CommonOptions, keptFolder, type StoreOptions } from "../options.ts"
import { chatWords } from "../words/chat-words.ts"
import { serveWords } from "../words/serve-words.ts"
import { cannotListen, readPort, untilStopped } from "./serve.ts"

interface InspectOptions extends CommonOptions, StoreOptions {
  readonly port: number
  readonly keep?: boolean
  readonly editor?: string
}

const help = `
The page goes on with the conversation of chat. For each turn it shows the requests with the source of every part, what was
cut and why, what a provider's cache can serve, and what changed since the request before. It shows the prompt with another
budget and without layers, and from the profile's files as they are now. Keys in it are replaced by [secret].

With --keep the newest 2,000 turns of 30 days, at most 256 MB, stay in the data folder. memory forget deletes them too.

Only browsers of this computer are answered, and only at the whole address that is printed.

Examples:
  promptstrata inspect fay
  promptstrata inspect ./bots/luna.toml --port 8788
  promptstrata chat fay --inspect`

/** Adds the command `inspect`. */
export function addInspect(program: Command, run: RunCommand): void {
  const command = program
    .command("inspect")
    .summary("talk in the browser, beside what is sent")
    .description("Talk to a character in the browser, beside every request that is sent to the model.")
    .option("--port <port>", "port; 0 takes any free one", readPort, 0)
    .option("--editor <address>", "what a click on a file opens, as vscode://file/{file}:{line}")
    .option("--keep", "keep the turns in the data folder, so that the page has them next time")
  addProfileArgument(command, "fay")
  addCommonOptions(command, { store: "optional" })
    .addHelpText("after", help)
    .action((profile: string | undefined, given: Omit<InspectOptions, "profile">) =>
      run((context) => inspect({ ...given, profile }, context), { debug: given.debug }),
    )
}

/** Serves the page until Ctrl-C or SIGTERM. Resolves to the exit code. */
async function inspect(options: InspectOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const source = await openWatchedProfile(options, context)
  const { profile } = source
  const { model, demo } = context.chooseModel(profile, io.env)
  const models = chooseOwnModels(profile, io.env, context.chooseModel)
  const store = await openCliStore(options, context)
  const note = (text: string): void => screen.note(screen.paint("dim", terminalText(text)))
  const onWarning = ({ message }: { readonly message: string }): void => note(message)
  const agent = await openAgent({ profile, source, model, models, ...(store && { store }), onWarning }, options, context)
  if (demo) note(chatWords(profile.locale).demo)
  const conversation = conversationName(await latestConversation(store, profile.agent.id))
  const stopped = untilStopped(context)
  const page = await pageOf(agent, conversation, {
    ...(options.keep && { keep: { folder: keptFolder(options) } }),
    ...(context.ports?.clock && { clock: context.ports.clock }),
    ...(options.editor !== undefined && { editor: options.editor }),
    onWarning: note,
  })
  const server = await page.listen({ port: options.port }).catch((thrown: unknown) => {
    throw cannotListen(thrown, { host: "127.0.0.1", port: options.port })
  })
  const words = serveWords(profile.locale)
  io.stdout.write(`${words.inspecting(server.url)}\n`)
  await stopped
  await server.close()
  await agent.close({ signal: AbortSignal.timeout(5_000) })
  await page.close()
  screen.note(words.ended)
  return exitCodes.ok
}

/** Serves the page of an agent, in which the terminal's user talks. */
export async function servePage(agent: Agent, conversation: string): Promise<InspectorServer> {
  return (await pageOf(agent, conversation)).listen()
}

async function pageOf(agent: Agent, conversation: string, options: InspectorOptions = {}): Promise<Inspector> {
  const { inspector } = await import("../../server/inspector/inspector.ts")
  return inspector(agent, { chat: { user: terminalUser, conversation }, inProduction: true, ...options })
}
