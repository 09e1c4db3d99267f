import type { Command } from "commander"
import type { Assembly } from "../../../core/span.ts"
import type { Profile } from "../../../profile/profile.ts"
import { printAssembly } from "../../../trace/print-assembly.ts"
import { printLore } from "../../../trace/print-lore.ts"
import { type PreviewedTurn, recordOfPreview } from "../../server/inspector/build-record.ts"
import { chooseOwnModels } from "../choose-model.ts"
import { type CliContext, clockOf, type RunCommand } from "../context.ts"
import { demoModel } from "../demo/demo-model.ts"
import { columnsOf, exitCodes, jsonLine, painterFor } from "../io.ts"
import { conversationName, firstPrompt, latestConversation, openAgent, openProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, addProfileArgument, type CommonOptions, type StoreOptions } from "../options.ts"
import { printMessages, printPrompt, totals } from "../print-prompt.ts"
import { chatWords } from "../words/command-words.ts"

interface RenderOptions extends CommonOptions, StoreOptions {
  readonly question?: string
  /** A prompt file of the dialect. Default: the first of a turn. */
  readonly prompt?: string
  /** Print a heading for every section. */
  readonly sections?: boolean
  /** Print a table of the layers with their tokens, in place of the prompt. */
  readonly tokens?: boolean
  /** Print which entries of lorebooks are in, and why, in place of the prompt. */
  readonly lore?: boolean
  readonly json?: boolean
  /** Print a page that shows the prompt. */
  readonly html?: boolean
}

/** Adds the command `render`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("render")
    .description(
      "Print the prompt that a model would get for a question, without asking a model. Prestart tools run, because their results are part of it.",
    )
    .option("--question <text>", "the question (default: what time it is)")
    .option("--prompt <name>", "a prompt of the profile's dialect (default: the first of a turn, such as planner)")
    .option("--sections", "with a heading for every section: key, tokens, source lines, author")
    .option("--tokens", "in place of the prompt: a table of its layers, with tokens, sources and what was cut")
    .option("--lore", "in place of the prompt: which entries of lorebooks are in, by which key, and what keeps the others out")
    .option("--json", "print the whole assembly as JSON")
    .option("--html", "print a page that shows the prompt with its sources; it is one file and needs no network")
  addProfileArgument(command, "layered")
  addCommonOptions(command, { store: "optional" }).action(
    (profile: string | undefined, { debug, ...given }: Omit<RenderOptions, "profile">) =>
      run((context) => render({ ...given, profile }, context), { debug }),
  )
}

/**
 * Prints the first request for a question in the conversation of `chat`. Prestart tools run; no model is asked. Resolves to the
 * exit code.
 */
async function render(options: RenderOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const profile = await openProfile(options, context)
  // Rendering must not create a store.
  const store = await openCliStore(options, context, { ifThere: true })
  const model = demoModel()
  const models = chooseOwnModels(profile, io.env, () => ({ model, demo: true }))
  const agent = await openAgent({ profile, model, models, runJobs: false, store }, options, context)
  const session = agent.session(conversationName(await latestConversation(store, profile.agent.id)))
  const question = options.question ?? chatWords(profile.locale).exampleQuestion
  const prompt = options.prompt ?? firstPrompt(profile, { tools: profile.loop.mode === "native" })
  const startedMs = clockOf(context).nowMs()
  const speaker = { id: terminalUser, name: profile.user.name }
  const assembly = await session.preview(question, { from: { id: terminalUser }, prompt })
  await agent.close()
  const paint = painterFor(io.stdout, io.env)
  if (options.html)
    io.stdout.write(await pageOf(assembly, { session: session.key, speaker, question, prompt, startedMs }, profile))
  else if (options.json) io.stdout.write(`${jsonLine(assembly)}\n`)
  else if (options.tokens) io.stdout.write(`${printAssembly(assembly, columnsOf(io.stdout), translate)}\n`)
  else if (options.lore) io.stdout.write(`${printLore(assembly, columnsOf(io.stdout), translate)}\n`)
  else if (options.sections) io.stdout.write(`${printPrompt(assembly, paint, translate)}\n`)
  else {
    io.stdout.write(`${printMessages(assembly, paint)}\n`)
    screen.note(screen.paint("dim", totals(assembly, translate)))
  }
  return exitCodes.ok
}

/** The prompt as a page of the inspector. */
async function pageOf(assembly: Assembly, turn: PreviewedTurn, { agent, locale, name }: Profile): Promise<string> {
  const { htmlOf } = await import("../../server/inspector/page-files.ts")
  return htmlOf(recordOfPreview(assembly, turn), { agent: agent.name, colour: agent.colour, profile: name, locale })
}
