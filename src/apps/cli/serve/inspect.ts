import type { Command } from "commander"
import type { Agent } from "../../../loop/agent/agent.ts"
import { workspaceOnDemand } from "../../../node/files/workspace-on-demand.ts"
import type { ProfileWatch } from "../../../node/profile/watch-profile.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { Inspector, InspectorOptions, InspectorServer } from "../../server/inspector/inspector.ts"
import { type CliContext, notesOn, type RunCommand, runWithProfile } from "../context.ts"
import { exitCodes } from "../io.ts"
import { conversationName, latestConversation, openAgent, openMcp, openWatchedProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { type CommonOptions, keptFolder, type StoreOptions } from "../options.ts"
import { serveWords } from "../words/command-words.ts"
import { type Original, variantMaker } from "./make-variant.ts"
import { readPrices } from "./read-prices.ts"
import { cannotListen, readPort, untilStopped } from "./serve.ts"

interface InspectOptions extends CommonOptions, StoreOptions {
  readonly port: number
  readonly keep?: boolean
  readonly editor?: string
  readonly prices?: string
}

/** Adds the command `inspect`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("inspect")
    .description("Talk to a character in the browser, beside every request that is sent to the model.")
    .option("--port <port>", "port; 0 takes any free one", readPort, 0)
    .option("--editor <address>", "what a click on a file opens, as vscode://file/{file}:{line}")
    .option("--prices <file>", "a JSON file with the prices of models, so that the page shows money")
    .option("--keep", "keep the turns in the data folder, so that the page has them next time")
  runWithProfile(command, run, inspect, { store: "optional" })
}

/** Serves the page until Ctrl-C or SIGTERM. Resolves to the exit code. */
async function inspect(options: InspectOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const prices = readPrices(options.prices)
  const source = await openWatchedProfile(options, context)
  const { profile } = source
  const store = await openCliStore(options, context)
  const servers = await openMcp(profile, options, context)
  const shared = { store, servers }
  const agent = await openAgent({ ...shared, profile, source }, options, context)
  const conversation = conversationName(await latestConversation(store, profile.agent.id))
  const stopped = untilStopped(context)
  const page = await pageOf(
    agent,
    { source, conversation, original: { ...shared, options }, prices, context },
    {
      keep: options.keep ? { folder: keptFolder(options) } : undefined,
      clock: context.ports?.clock,
      editor: options.editor,
    },
  )
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

/** An agent whose page is served. */
interface InspectedAgent {
  readonly source: ProfileWatch
  /** The conversation of the page's chat. */
  readonly conversation: string
  /** The parts that it shares with the agents of comparisons and edits. */
  readonly original: Original
  readonly prices: NonNullable<InspectorOptions["prices"]>
  readonly context: CliContext
}

/** Serves the page of an agent, in which the terminal's user talks and edits the profile's files. */
export async function servePage(agent: Agent, shown: InspectedAgent): Promise<InspectorServer> {
  return (await pageOf(agent, shown, {})).listen()
}

/** The folder in which `undo` undoes too. */
function documentsIn({ documents, files }: Profile): Pick<InspectorOptions, "documents"> {
  const folder = documents?.folder ?? files.folder
  return folder === undefined ? {} : { documents: workspaceOnDemand(folder, { hardLinks: files.hardLinks }) }
}

async function pageOf(agent: Agent, shown: InspectedAgent, options: InspectorOptions): Promise<Inspector> {
  const { source, conversation, original, prices, context } = shown
  const { inspector } = await import("../../server/inspector/inspector.ts")
  return inspector(agent, {
    ...documentsIn(source.profile),
    maxBodyBytes: 16_000_000,
    chat: { user: terminalUser, conversation },
    inProduction: true,
    prices,
    variant: variantMaker(source.promptFiles, context, original),
    files: source.promptFiles,
    onWarning: notesOn(context),
    ...options,
  })
}
