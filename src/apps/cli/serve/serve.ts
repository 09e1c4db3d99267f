import { type Command, InvalidArgumentError } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import type { Profile } from "../../../profile/profile.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { Caller } from "../../server/exchange.ts"
import { createHandler } from "../../server/handler.ts"
import { HttpProblem } from "../../server/http-problem.ts"
import { type ListeningServer, listen } from "../../server/listen.ts"
import { isLoopback } from "../../server/loopback.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"
import { openAgent, openProfile, terminalUser } from "../open-agent.ts"
import { openCliStore } from "../open-store.ts"
import { addCommonOptions, type CommonOptions, profileText, readLimit, readSeconds, type StoreOptions } from "../options.ts"
import { serveWords } from "../words/command-words.ts"
import { type FindHolder, isKey, isUserName, type KeyHolder, openKeys } from "./server-keys.ts"

/**
 * Says who sent a request. A key speaks for its own user, or for any that the request names. Without keys the user is the terminal's, and
 * only programs of this computer are answered, and pages of its own: a page from elsewhere that had its name point here would send that
 * name.
 */
export function callerOf(keys: FindHolder | undefined): (request: Request) => Caller | undefined {
  return ({ headers }) => {
    const asked = readId(headers, "x-user")
    const holder = keys?.(headers.get("authorization") ?? "")
    if (keys && !holder) return undefined
    if (!keys) checkLocal(headers)
    const user = userOf(holder, asked)
    const conversation = readId(headers, "x-conversation")
    return {
      user: user ?? terminalUser,
      conversation: conversation === undefined ? undefined : keptName(user, conversation),
    }
  }
}

/** The user of a request; undefined for the terminal's, whom no header can name. */
function userOf(holder: KeyHolder | undefined, asked: string | undefined): string | undefined {
  if (asked === undefined) return holder?.user
  const refused = (why: string) => new HttpProblem(403, why, { param: "x-user" })
  if (!holder) throw refused("x-user needs a server with a key.")
  if (holder.user !== undefined && holder.user !== asked) throw refused("This key speaks for another user.")
  if (asked === terminalUser) throw refused(`${terminalUser} is whoever runs this server: leave x-user out.`)
  return asked
}

/**
 * The name of a conversation in the store. No two users have one in common: the name behind a user's has the first slash, and one of
 * the terminal's user has none.
 */
function keptName(user: string | undefined, conversation: string): string {
  if (user === undefined) return conversation.replace(/[%/]/gu, encodeURIComponent)
  return `${encodeURIComponent(user)}/${conversation}`
}

function checkLocal(headers: Headers): void {
  const host = headers.get("host") ?? ""
  const origin = headers.get("origin")
  if (!isLoopback(host.replace(/:\d*$/u, "")))
    throw new HttpProblem(403, "The host of the request is not this computer. A server for others needs a key.", {
      param: "host",
    })
  if (origin === null || isLoopback(URL.parse(origin)?.hostname ?? "")) return
  throw new HttpProblem(403, "The request comes from a web page of another computer.", { param: "origin" })
}

function readId(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  if (value === null || isUserName(value)) return value ?? undefined
  throw new HttpProblem(400, `Expected 1 to 200 ASCII characters without spaces in ${name}.`, { param: name })
}

interface ServeOptions extends CommonOptions, StoreOptions {
  readonly port: number
  readonly host: string
  readonly key?: string
  /** A file of keys that belong to users. */
  readonly keys?: string
  readonly userRequests: number
  readonly userTokens: number
  readonly maxTurns: number
  readonly maxBody: number
  readonly maxBodies: number
  /** The longest wait for running answers, in seconds. */
  readonly drain: number
}

/** Adds the command `serve`. */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("serve")
    .description("Answer over HTTP: the OpenAI API, chats of the AI SDK, AG-UI.")
    .argument("[profiles...]", `each ${profileText} (default: the only one in ./profiles, else layered)`)
    .option("--port <port>", "port; 0 takes any free one", readPort, 8787)
    .option("--host <host>", "address to listen at", "127.0.0.1")
    .option("--key <key>", "key that may name any user (default: $PROMPTSTRATA_SERVER_KEY)")
    .option("--keys <file>", "file of keys that speak for one user each (default: $PROMPTSTRATA_SERVER_KEYS)")
    .option("--user-requests <count>", "requests of a user within a minute, else status 429; 0: any", readLimit, 300)
    .option("--user-tokens <count>", "tokens of a user within a minute, else status 429; 0: any", readLimit, 1_000_000)
    .option("--max-turns <count>", "answers at once, of all users, else status 503; 0: any", readLimit, 64)
    .option("--max-body <bytes>", "bytes of a request, else status 413; 0: any", readLimit, 16_000_000)
    .option("--max-bodies <bytes>", "bytes of requests at once, else status 503; 0: any", readLimit, 128_000_000)
  addCommonOptions(addDrain(command), { store: "optional" }).action(
    (profiles: readonly string[], given: Omit<ServeOptions, "profile">) =>
      run((context) => serve(profiles, given, context), { debug: given.debug }),
  )
}

export function addDrain(command: Command): Command {
  return command.option("--drain <seconds>", "at the end, the longest wait for running answers", readSeconds, 30)
}

export function readPort(value: string): number {
  if (/^\d{1,5}$/u.test(value) && Number(value) < 65_536) return Number(value)
  throw new InvalidArgumentError("Expected a port, 0 to 65535.")
}

/** Answers requests until Ctrl-C or SIGTERM. Resolves to the exit code. */
async function serve(names: readonly string[], options: Omit<ServeOptions, "profile">, context: CliContext): Promise<number> {
  const { io, screen, ports, translate } = context
  const keys = readKeys(options, context)
  const profiles: Profile[] = []
  for (const profile of names.length === 0 ? [undefined] : names)
    profiles.push(await openProfile({ ...options, profile }, context))
  checkApart(profiles)
  const [{ locale }] = profiles as [Profile]
  const words = serveWords(locale)
  const store = await openCliStore(options, context)
  const agents: Record<string, Agent> = {}
  for (const profile of profiles) agents[profile.name] = await openAgent({ profile, store }, options, context)
  const handle = createHandler({
    agents,
    authorize: callerOf(keys),
    limits: {
      ...{ requestsPerMinute: options.userRequests, tokensPerMinute: options.userTokens },
      ...{ turnsAtOnce: options.maxTurns, bodyBytesAtOnce: options.maxBodies },
    },
    maxBodyBytes: options.maxBody,
    locale,
    onError: (error) => screen.complain(translate(messageOf(error))),
    clock: ports?.clock ?? { nowMs: () => Date.now() },
  })
  const stopped = untilStopped(context)
  const server = await listen(handle, options).catch((thrown: unknown) => {
    throw cannotListen(thrown, options)
  })
  context.atEnd(() => server.close(AbortSignal.abort()))
  const { host } = options
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`
  const lines = [
    words.serving(url, Object.keys(agents).join(", ")),
    ...words.routes(url),
    keys === undefined ? words.withoutKey : words.withKey,
    ...(options.store === false ? [] : [words.kept]),
    words.ending,
  ]
  io.stdout.write(`${terminalText(lines.join("\n"))}\n`)
  await stopped
  screen.note(words.draining(options.drain))
  await drain(server, Object.values(agents), options.drain * 1000)
  screen.note(words.ended)
  return exitCodes.ok
}

/** The keys of the options or of the environment. Throws `usage` without one if other computers could connect. */
function readKeys({ key, keys, host }: Pick<ServeOptions, "key" | "keys" | "host">, { io, screen, translate }: CliContext) {
  const given = key ?? (io.env.PROMPTSTRATA_SERVER_KEY || undefined)
  const file = keys ?? (io.env.PROMPTSTRATA_SERVER_KEYS || undefined)
  if (given === undefined && file === undefined && !isLoopback(host))
    throw new PromptStrataError("usage", `expected a key, as ${JSON.stringify(host)} may be reached from other computers.`, {
      hint: "Set PROMPTSTRATA_SERVER_KEY, or --key KEY, or --keys FILE.",
    })
  if (given !== undefined && !isKey(given))
    throw new PromptStrataError("usage", "expected a key of letters, digits and ASCII punctuation, found another one.", {
      hint: "openssl rand -hex 24 prints a good key.",
    })
  return openKeys({ key: given, file, onProblem: (message) => screen.complain(translate(message)) })
}

/** Throws `usage` for profiles that share a name, by which they are asked, or an agent, whose words and jobs they would mix. */
function checkApart(profiles: readonly Profile[]): void {
  for (const [at, { name, agent }] of profiles.entries()) {
    const other = profiles.slice(0, at).find((before) => before.name === name || before.agent.id === agent.id)
    if (other === undefined) continue
    const shared = other.name === name ? `the name ${JSON.stringify(name)}` : `the agent ${JSON.stringify(agent.id)}`
    throw new PromptStrataError("usage", `expected profiles of different names and agents, found two of ${shared}.`, {
      hint: "Give one of them another file name, and another id in [agent].",
    })
  }
}

/** The first Ctrl-C or SIGTERM; a second Ctrl-C ends the program. */
export function untilStopped({ io, interrupts, atEnd }: CliContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  interrupts.running({ result: new Promise(() => undefined), abort: () => resolve() })
  const stop = io.onTerminate?.(resolve)
  atEnd(async () => stop?.())
  return promise
}

/** Takes no more requests, lets turns end within `drainMs`, and gives their last words a second to be read. */
async function drain(server: ListeningServer, agents: readonly Agent[], drainMs: number): Promise<void> {
  const hurry = new AbortController()
  const closed = server.close(hurry.signal)
  const signal = AbortSignal.timeout(drainMs)
  await Promise.all(agents.map((agent) => agent.close({ signal })))
  const timer = setTimeout(() => hurry.abort(), 1_000)
  await closed
  clearTimeout(timer)
}

export function cannotListen(thrown: unknown, { host, port }: Pick<ServeOptions, "host" | "port">): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there",
    EACCES: "this user may not listen there",
    EADDRNOTAVAIL: "this computer has no such address",
    ENOTFOUND: "there is no such host",
  }
  const reason = reasons[String(code)]
  if (reason === undefined) return thrown
  const hint = "Choose another one with --port or --host; --port 0 takes any free port."
  return new PromptStrataError("usage", `expected a free port at ${host}:${port}, but ${reason}.`, { hint, cause: thrown })
}
