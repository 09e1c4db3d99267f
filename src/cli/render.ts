import { createAgent } from "../agent/agent.ts"
import { conversation } from "./chat.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { demoModel } from "./demo/demo-model.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { openMcp, withMcp } from "./open-mcp.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore, type StoreOptions } from "./open-store.ts"
import { portsFor } from "./ports-for.ts"
import { printMessages, printPrompt, totals } from "./print-prompt.ts"
import { painterFor } from "./style.ts"
import { wordsFor } from "./words.ts"

/** What `render` was asked for. */
export interface RenderOptions extends CommonOptions, StoreOptions {
  readonly question?: string
  /** A prompt file of the dialect. */
  readonly prompt: string
  /** Print a heading per section. */
  readonly sections: boolean
  readonly json: boolean
}

/** Prints the request that a question would begin with in the conversation at the terminal; prestart tools run, no model is asked. Resolves to the exit code. */
export async function render(options: RenderOptions, context: CliContext): Promise<number> {
  const { io, screen } = context
  const profile = await openProfile(options, io)
  // Looking at a prompt makes no store.
  const store = await openCliStore(options, context, { ifThere: true })
  const ports = await portsFor(profile, context)
  const mcp = await openMcp(profile, options, context)
  const agent = await withMcp(mcp, (plugins) =>
    createAgent({
      profile,
      plugins,
      model: demoModel(),
      runJobs: false,
      ...(store ? { store } : {}),
      ports,
    }),
  )
  const question = options.question ?? wordsFor(profile.locale).exampleQuestion
  const assembly = await agent.session(conversation).preview(question, { prompt: options.prompt })
  await agent.close()
  const paint = painterFor(io.stdout, io.env)
  if (options.json) io.stdout.write(`${jsonLine(assembly)}\n`)
  else if (options.sections) io.stdout.write(`${printPrompt(assembly, paint)}\n`)
  else {
    io.stdout.write(`${printMessages(assembly, paint)}\n`)
    screen.note(screen.paint("dim", totals(assembly)))
  }
  return exitCodes.ok
}
