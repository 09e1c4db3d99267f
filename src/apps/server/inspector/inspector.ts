import { checkOptions } from "../../../core/check-options.ts"
import type { SessionKey } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { checkPrices, type Prices } from "../../../core/model/prices.ts"
import { type Clock, hostTimers, type Timers } from "../../../core/ports.ts"
import { hostSecrets } from "../../../core/secrets/find-secrets.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import { contextOf, partsOf } from "../../../loop/agent/published-agents.ts"
import { type ForgottenScope, onForget } from "../../../memory/services/store/forgetting.ts"
import type { StoreScope } from "../../../memory/services/store/store.ts"
import type { PromptFiles } from "../../../profile/prompt-files.ts"
import { HttpProblem, problemResponse } from "../http-problem.ts"
import { isLoopback } from "../loopback.ts"
import { answerApi } from "./api.ts"
import type { Judge } from "./compare/judge.ts"
import type { InspectedDocuments } from "./documents/documents.ts"
import { keepTurns } from "./keep-turns.ts"
import type { KeepOptions } from "./kept-records.ts"
import { mayHold, showsMemory } from "./may-hold.ts"
import { Recorder } from "./recorder.ts"
import type { MakeVariant } from "./replay/agent-change.ts"
import { findRecord, type InspectorState } from "./route.ts"
import type { TurnRecord } from "./turn-record.ts"

/** Headers of everything that an inspector answers: no other page may read or frame it, and its page may load nothing else. */
export const guardHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const

/**
 * The part of the path behind the token. Throws {@link HttpProblem}: 403 for a host that is not this computer, since a page from elsewhere
 * that had its name point here would send that name; 403 for another origin; 404 without the token.
 */
export function guardedPath(
  request: Request,
  { token, hosts }: { readonly token: string; readonly hosts: readonly string[] },
): string {
  const { headers } = request
  const url = new URL(request.url)
  const host = (headers.get("host") ?? url.host).toLowerCase()
  const name = host.replace(/:\d*$/u, "")
  if (!isLoopback(name) && !hosts.some((allowed) => allowed.toLowerCase() === name))
    throw new HttpProblem(403, "The host of the request is not this computer.", { param: "host" })
  const origin = headers.get("origin")
  if (origin !== null && URL.parse(origin)?.host !== host)
    throw new HttpProblem(403, "The request comes from another page.", { param: "origin" })
  const site = headers.get("sec-fetch-site")
  // A link from elsewhere may open the page: whoever opened it can neither read nor frame it.
  const isLink = request.method === "GET" && headers.get("sec-fetch-dest") === "document"
  if (site !== null && site !== "same-origin" && site !== "none" && !isLink)
    throw new HttpProblem(403, "The request comes from another page.", { param: "sec-fetch-site" })
  const parts = url.pathname.split("/")
  const at = parts.findIndex((part) => isSame(part, token))
  if (at < 0) throw new HttpProblem(404, "There is nothing here. Open the whole address that the inspector printed.")
  return parts.slice(at + 1).join("/")
}

/** Compares in a time that does not depend on how much is equal. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length
  for (let at = 0; at < token.length; at++) difference |= given.charCodeAt(at) ^ token.charCodeAt(at)
  return difference === 0
}

/** Options of {@link inspector}. */
export interface InspectorOptions {
  /** True lets the page send messages to the agent, as the user `inspector`. Default false: it only shows turns. */
  readonly chat?: boolean | { readonly user: string; readonly conversation: string }
  /** The turns that are kept in memory. Default 200. */
  readonly maxTurns?: number
  /** About the bytes that these turns may have. Default 64,000,000. */
  readonly maxBytes?: number
  /** Keeps the records of turns in a folder, so that the page has them after a restart. Default: they are in memory alone. */
  readonly keep?: KeepOptions | undefined
  /**
   * The folder of the agent's documents, with their history: `workspace` of `openDocuments`, or one of `openFolder`. The page can then
   * undo changes in it. Default: none are shown.
   */
  readonly documents?: InspectedDocuments
  /** Told of records that could not be kept or read. Default: `console.warn`. The page shows it too. */
  readonly onWarning?: (message: string) => void
  /** By the id of a model, as `openai:gpt-5-mini`, what a million of its tokens cost. Without a price no money is shown. */
  readonly prices?: Prices
  /** Texts that the page must not show, beside everything that looks like a key. */
  readonly secrets?: readonly string[]
  /** Names beside this computer's own under which the page may be opened. Default: none. */
  readonly hosts?: readonly string[]
  /** True works with `NODE_ENV=production` too. Default false: nothing is recorded or answered then. */
  readonly inProduction?: boolean
  /** The language of the page: `en` or `zh-CN`. Default: that of the profile. */
  readonly locale?: string
  /**
   * The address that opens a file in an editor when a person clicks its name, such as `vscode://file/{file}:{line}`. Default: names of
   * files are no links.
   */
  readonly editor?: string | undefined
  /** Makes agents that differ, so that the page can play turns again with another profile, dialect, model or text. Default: it cannot. */
  readonly variant?: MakeVariant
  /** Compares the answers of two agents to a question, where the page runs a file of questions. Default: they get no score. */
  readonly judge?: Judge
  /** The files of the agent's profile, which the page then edits: `watch.promptFiles` of `watchProfile`. Needs `variant`. Default: none. */
  readonly files?: PromptFiles
  /** The most bytes of a request's body. Default 1,000,000. */
  readonly maxBodyBytes?: number
  /** The part of the address that nobody else knows. Default: random. */
  readonly token?: string
  readonly clock?: Clock | undefined
  /** Timers of a test. */
  readonly timers?: Timers
}

/** The scheme of a program; a browser opens the others itself. */
const editorAddress = /^(?!(?:javascript|data|vbscript|blob|file|https?):)[a-z][a-z0-9+.-]*:\/\/.*\{file\}/u

/** A page that shows each turn of an agent: its requests with the source of every token, what was cut, what the cache saw. */
export interface Inspector {
  /** The secret part of the page's address: the page is at `/TOKEN/` under any path. */
  readonly token: string
  /** Answers requests under `/TOKEN/`. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Serves the page on this computer. `port` 0, the default, takes any free one. Rejects with `usage` in production, and for a host that others can reach. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<InspectorServer>
  /** A turn as the page shows it; undefined if it is not kept. */
  record(turnId: string): Promise<TurnRecord | undefined>
  /**
   * Deletes the records that may hold words of a scope, also those on the disk. A store of this library does so by itself when it forgets
   * something; call it for a store of your own, and for one that forgot while no inspector kept its records.
   */
  forget(scope: StoreScope): Promise<void>
  /** Records no more, and lets go of what is in memory. Resolves when what is kept on the disk is written. */
  close(): Promise<void>
}

/** An inspector's page that is served. */
export interface InspectorServer {
  /** The address of the page, with the token. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Makes an inspector of an agent. It notes the events of turns from now on; nothing of a turn waits for it. Records are made when somebody
 * reads them, with `[secret]` in place of everything that looks like a key. Throws `usage` for an unknown option, for an object that is no
 * agent, and for an agent that has an inspector.
 */
export function inspector(agent: Agent, options: InspectorOptions = {}): Inspector {
  checkOptions(
    "inspector",
    options,
    "chat maxTurns maxBytes keep documents onWarning prices secrets hosts inProduction locale editor variant judge files maxBodyBytes token clock timers",
  )
  const { inProduction = false, token = crypto.randomUUID().replaceAll("-", ""), hosts = [] } = options
  if (!/^[\w-]{16,}$/u.test(token))
    throw new PromptStrataError("usage", "expected a token of at least 16 letters, digits, _ and -, found another one.", {
      hint: "Leave it out: then it is random.",
    })
  if (options.editor !== undefined && !editorAddress.test(options.editor))
    throw new PromptStrataError("usage", `expected an editor's address, found ${JSON.stringify(options.editor)}.`, {
      hint: "Write vscode://file/{file}:{line}, or the same of another editor.",
    })
  if (options.files && !options.variant)
    throw new PromptStrataError("usage", "expected `variant` beside `files`, found none.", {
      hint: "Texts are tried in an agent that `variant` makes, before they are saved.",
    })
  const { inspection, runner, asking } = partsOf(agent)
  const isOff = !inProduction && globalThis.process?.env.NODE_ENV === "production"
  const { maxTurns = 200, maxBytes = 64_000_000, clock = { nowMs: () => Date.now() } } = options
  const recorder = new Recorder({ maxTurns, maxBytes }, clock)
  if (inspection.tell)
    throw new PromptStrataError("usage", "expected an agent without an inspector, found one that has it.", {
      hint: "Close the first inspector, or use it.",
    })
  const tell = (...given: Parameters<Recorder["tell"]>): void => recorder.tell(...given)
  const send = (...given: Parameters<Recorder["send"]>): void => recorder.send(...given)
  const job = (...given: Parameters<Recorder["job"]>): void => recorder.job(...given)
  if (!isOff) Object.assign(inspection, { tell, send, job })
  asking.later ||= !isOff && Boolean(options.chat)
  const state = stateOf(agent, recorder, options, isOff)
  const listening = isOff ? undefined : onForget(runner, (scope) => forget(state, scope))
  return {
    token,
    fetch: (request) => (isOff ? Promise.resolve(new Response(null, { status: 404 })) : answer(state, request, { token, hosts })),
    async listen(listening = {}) {
      checkOptions("listen of inspector", listening, "port host")
      if (isOff)
        throw new PromptStrataError("usage", "The inspector is off, because NODE_ENV is production.", {
          hint: "It shows prompts and conversations. Give `inProduction: true` to have it all the same.",
        })
      return serve(state, { token, hosts }, listening)
    },
    record: (turnId) => findRecord(state, turnId),
    forget: (scope) => forget(state, scope),
    async close() {
      if (inspection.tell === tell) Object.assign(inspection, { tell: undefined, send: undefined, job: undefined })
      const written = state.kept?.close()
      listening?.()
      recorder.clear()
      await written
    },
  }
}

function stateOf(agent: Agent, recorder: Recorder, options: InspectorOptions, isOff: boolean): InspectorState {
  const { chat = false, prices = {}, secrets, maxBodyBytes = 1_000_000, timers = hostTimers } = options
  const { locale, editor, variant, files, judge, keep, documents } = options
  const { clock = { nowMs: () => Date.now() }, onWarning = (message) => console.warn(`promptstrata: ${message}`) } = options
  if (keep) checkOptions("keep of inspector", keep, "folder maxTurns maxBytes maxDays")
  const warnings: string[] = []
  const warn = (message: string): void => {
    warnings.push(message)
    warnings.splice(0, warnings.length - 20)
    onWarning(message)
  }
  const parts: InspectorState["parts"] = {
    find: hostSecrets(secrets),
    prices: checkPrices(prices, () => "`prices` of inspector"),
    before: (turn, prompt) => recorder.before(turn, prompt),
    jobsOf: (turnId) => recorder.jobsOf(turnId),
  }
  const receiptsOf: InspectorState["receiptsOf"] = async ({ id, session, speaker }) => {
    const { receipts } = await contextOf(agent)
    return receipts.ofTurn(id, { ...session, user: speaker.id })
  }
  return {
    ...{ agent, recorder, maxBodyBytes, timers, locale, editor, documents },
    ...{ variant, files, judge, parts, receiptsOf, warnings },
    chat: chat === true ? { user: "inspector", conversation: "inspector" } : chat === false ? undefined : chat,
    kept: keep && !isOff ? keepTurns(recorder, keep, { clock, timers, parts, onWarning: warn }) : undefined,
  }
}

async function forget({ agent, recorder, kept }: InspectorState, scope: ForgottenScope): Promise<void> {
  // Of an agent that was closed, nobody can tell: then everything goes.
  const context = await contextOf(agent).catch(() => undefined)
  const isStored = async (session: SessionKey): Promise<boolean> =>
    (await context?.store.load(session, { last: 1 })) !== undefined
  const held = recorder.turns.map(({ id, session, speaker, context: own, soFar }) => {
    const trace = soFar()
    return { id, session, user: speaker.id, hasMemory: !trace || showsMemory(trace, own) }
  })
  recorder.forget(await mayHold(held, scope, isStored))
  await kept?.forget(scope, isStored)
}

interface Access {
  readonly token: string
  readonly hosts: readonly string[]
}

async function answer(state: InspectorState, request: Request, access: Access): Promise<Response> {
  const response = await answerSafely(state, request, access)
  for (const [name, value] of Object.entries(guardHeaders)) response.headers.set(name, value)
  return response
}

async function answerSafely(state: InspectorState, request: Request, access: Access): Promise<Response> {
  try {
    return await answerApi(state, request, guardedPath(request, access))
  } catch (error) {
    if (error instanceof HttpProblem) return problemResponse(error)
    return problemResponse(new HttpProblem(500, messageOf(error)))
  }
}

async function serve(
  state: InspectorState,
  access: Access,
  { port = 0, host = "127.0.0.1" }: { readonly port?: number; readonly host?: string },
): Promise<InspectorServer> {
  if (!isLoopback(host))
    throw new PromptStrataError("usage", `expected an address of this computer alone, found ${JSON.stringify(host)}.`, {
      hint: "Mount `fetch` in a server of your own, with `hosts`, to reach the page from elsewhere.",
    })
  const { listen } = await import("../listen.ts")
  const server = await listen((request) => answer(state, request, access), { host, port })
  const name = host.includes(":") ? `[${host}]` : host
  return { url: `http://${name}:${server.port}/${access.token}/`, close: () => server.close(AbortSignal.abort()) }
}
