import type { Client } from "@modelcontextprotocol/client"
import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isRecord, recordOf } from "../../core/json-access.ts"
import { orAborted } from "../../core/timers.ts"
import type { McpServerSettings } from "../../profile/profile.ts"
import { sanitise, sanitiseJson } from "../../prompt/encode/sanitise.ts"
import type { ToolProgress } from "../../prompt/tools/tool.ts"
import { problemOf } from "./http-problem.ts"
import type { CallingTurn, ElicitAnswer, ElicitRequest, ResolvedOptions } from "./options.ts"
import { createTransport, type ServerTransport } from "./transport.ts"
import { safeLine } from "./warnings.ts"

/** A result as the server sent it. */
export type RawResult = Readonly<Record<string, unknown>>

/** One connection to a server, from its handshake to its end. */
export interface Link {
  readonly kind: ServerTransport["kind"]
  readonly pid: number | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  /** The version that the program says it has; undefined for a server over HTTP, whose address stands for it. */
  readonly version: string | undefined
  /** Rejects when the signal aborts, which the server is told, and when the connection ends. */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: {
      readonly signal: AbortSignal
      readonly onProgress?: (progress: ToolProgress) => void
      readonly turn?: CallingTurn
    },
  ): Promise<RawResult>
  /** Reads a list of the server page by page. The message of its errors is for a warning. */
  list(kind: "tools" | "resources" | "prompts", signal: AbortSignal): Promise<ListRead>
  close(): Promise<void>
}

/** The events of a link. */
export interface LinkEvents {
  /** Called before the handshake, with a function that reads the server's standard error from then on. */
  readonly onStart: (stderr: () => string) => void
  /** Called when the connection ends by itself. */
  readonly onEnd: () => void
  readonly onToolsChanged: () => void
  /** False refuses the server's requests to the user and to the model. */
  readonly isAllowed: () => boolean
}

/** The library's own timeout is switched off, since the turn's limits apply. */
const noTimeoutMs = 2_147_483_647

/** Opens a connection. When the handshake fails, it rejects with the reason and leaves nothing running. */
export async function openLink(
  server: string,
  settings: McpServerSettings,
  { options, events, signal }: { readonly options: ResolvedOptions; readonly events: LinkEvents; readonly signal: AbortSignal },
): Promise<Link> {
  const { Client } = await options.library.client()
  const transport = await createTransport(settings, options)
  events.onStart(transport.stderr)
  // The client offers only the requests that have a callback. The library refuses all others.
  const capabilities = {
    ...(options.elicit ? { elicitation: { form: { applyDefaults: true } } } : {}),
    ...(options.sample ? { sampling: {} } : {}),
  }
  const client = new Client({ name: "promptstrata", version: "1" }, { capabilities })
  const turns = new Set<CallingTurn>()
  answerRequests(client, server, { ...options, ...events, turns })
  client.setNotificationHandler("notifications/tools/list_changed", events.onToolsChanged)
  let isOpen = false
  client.onclose = () => {
    if (isOpen) events.onEnd()
  }
  client.onerror = (error) => {
    if (isOpen && isBrokenPipe(error)) client.close().catch(() => undefined)
  }
  try {
    await orAborted(client.connect(transport.transport, { signal, timeout: noTimeoutMs }), signal)
  } catch (error) {
    // The library closes the transport without waiting, and a program that ignores this would go on.
    if (transport.kind === "stdio") transport.kill()
    await closeBoth(client, transport)
    throw new Error(`${problemOf(error)}${lastLine(transport.stderr())}`, { cause: error })
  }
  isOpen = true
  return linkOver(client, transport, turns, () => {
    isOpen = false
  })
}

function linkOver(client: Client, transport: ServerTransport, turns: Set<CallingTurn>, onClose: () => void): Link {
  const request: Link["request"] = (method, params, { signal, onProgress, turn }) => {
    const options = { signal, timeout: noTimeoutMs, ...(onProgress ? { onprogress: onProgress } : {}) }
    if (turn) turns.add(turn)
    const sent = client.request({ method, params: { ...params } }, anyObject, options)
    return sent.finally(() => turn && turns.delete(turn))
  }
  return {
    kind: transport.kind,
    pid: transport.kind === "stdio" ? (transport.transport.pid ?? undefined) : undefined,
    capabilities: { ...client.getServerCapabilities() },
    version: transport.kind === "stdio" ? client.getServerVersion()?.version : undefined,
    request,
    async list(kind, signal) {
      try {
        return await readPages(kind, (cursor) => request(`${kind}/list`, cursor === undefined ? {} : { cursor }, { signal }))
      } catch (error) {
        throw new Error(problemOf(error), { cause: error })
      }
    },
    async close() {
      onClose()
      await closeBoth(client, transport)
    },
  }
}

/** Accepts any object. Its fields are checked where they are read. */
const anyObject: StandardSchemaV1<unknown, RawResult> = {
  "~standard": {
    version: 1,
    vendor: "promptstrata",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "expected an object" }] }),
  },
}

async function closeBoth(client: Client, { kind, transport }: ServerTransport): Promise<void> {
  // A server over HTTP keeps its session until it is told to end it. That takes at most a second here.
  if (kind === "http" && transport.sessionId !== undefined) {
    const oneSecond = new Promise((resolve) => setTimeout(resolve, 1_000).unref())
    await Promise.race([transport.terminateSession().catch(() => undefined), oneSecond])
  }
  await client.close().catch(() => undefined)
  await transport.close().catch(() => undefined)
}

/** A program that cannot start usually writes the reason last. */
function lastLine(stderr: string): string {
  const line = stderr.trim().split("\n").at(-1)?.trim() ?? ""
  return line === "" ? "" : `; the last line it wrote is ${JSON.stringify(safeLine(line))}`
}

/** A child of the program can keep the pipe open after the program has ended, so that only writing shows its end. */
function isBrokenPipe(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return ["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"].includes(String(code))
}

const maxMessageCharacters = 4_000

interface RequestAnswers extends Pick<ResolvedOptions, "elicit" | "sample" | "warn" | "words">, Pick<LinkEvents, "isAllowed"> {
  /** The turns whose calls run now. */
  readonly turns: ReadonlySet<CallingTurn>
}

/**
 * Asks the person of the call. The question names the server and quotes its words, which can then not pass for the agent's own. One
 * that a yes does not answer is declined, with a warning.
 */
function yesOrNo({ warn, words }: Pick<ResolvedOptions, "warn" | "words">): (request: ElicitRequest) => Promise<ElicitAnswer> {
  return async ({ server, message, schema: { required, properties }, confirm, signal }) => {
    const needs = (name: unknown) => recordOf(recordOf(properties)[String(name)]).default === undefined
    const isAsked = confirm && !(Array.isArray(required) && required.some(needs))
    if (!isAsked) warn({ server, kind: "request", message: `Nobody could answer "${safeLine(message)}" with yes or no.` })
    const said = { server, asked: JSON.stringify(message) }
    const summary = words.say(said) || Object.values(said).join(": ")
    return { action: isAsked && (await confirm({ tool: server, summary }, signal)) ? "accept" : "decline" }
  }
}

/** Passes a server's requests during a call to the callbacks. */
function answerRequests(client: Client, server: string, answers: RequestAnswers): void {
  const { elicit, sample, isAllowed, turns } = answers
  const answer = elicit === "confirm" ? yesOrNo(answers) : elicit
  const turnOf = (): CallingTurn => {
    const [one = {}, ...others] = turns
    const isSame = others.every(({ key }) => JSON.stringify(key) === JSON.stringify(one.key))
    return others.length === 0 ? { key: one.key, confirm: one.confirm } : { key: isSame ? one.key : undefined }
  }
  const requireAllowed = (): void => {
    if (!isAllowed()) throw new Error("No person has allowed this server.")
  }
  if (answer) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      requireAllowed()
      const schema = "requestedSchema" in params && isRecord(params.requestedSchema) ? params.requestedSchema : {}
      const { action, content } = await answer({
        ...{ server, ...turnOf() },
        message: sanitise(params.message.slice(0, maxMessageCharacters)).text,
        schema: sanitiseJson(schema).value,
        signal: mcpReq.signal,
      })
      return action === "accept" ? { action, content: { ...content } } : { action }
    })
  }
  if (sample) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      requireAllowed()
      const { model, text } = await sample({ server, key: turnOf().key, params: { ...params }, signal: mcpReq.signal })
      return { model, role: "assistant" as const, content: { type: "text" as const, text } }
    })
  }
}

/** The items of a list. `problem` is the reason why the list was not read to its end. */
export interface ListRead {
  readonly items: readonly unknown[]
  readonly problem?: string
}

const maxPages = 100
const maxItems = 2_000

/** Reads a list until its end, a repeated cursor, 100 pages or 2,000 items. Rejects as `fetchPage` does. */
export async function readPages(key: string, fetchPage: (cursor: string | undefined) => Promise<RawResult>): Promise<ListRead> {
  const items: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await fetchPage(cursor)
    const found = page[key]
    if (!Array.isArray(found)) return { items, problem: `a page of its list holds no ${key}` }
    const room = maxItems - items.length
    for (const item of found.slice(0, room)) items.push(item)
    if (found.length > room) return { items, problem: `its list is cut after ${maxItems} ${key}` }
    const { nextCursor } = page
    if (typeof nextCursor !== "string") return { items }
    if (cursors.has(nextCursor)) return { items, problem: "the cursor of its list does not advance" }
    if (pages === maxPages) return { items, problem: `its list has more than ${maxPages} pages` }
    cursors.add(nextCursor)
    cursor = nextCursor
  }
}
