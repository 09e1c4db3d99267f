import { messageOf } from "../core/errors.ts"
import type { McpServerSettings } from "../profile/profile.ts"
import { deadline, pause } from "./deadline.ts"
import { KeptLink } from "./kept-link.ts"
import { type Link, openLink } from "./link.ts"
import type { McpWarning } from "./options.ts"
import { readToolList } from "./read-tool-list.ts"
import type { RemoteTool } from "./remote-tool.ts"
import { shown } from "./shown.ts"
import type { Surroundings } from "./surroundings.ts"
import { toolFilter } from "./tool-filter.ts"

const defaultStartTimeoutMs = 15_000

/** A server that says all the time that its tools have changed is listened to once a second. */
const refreshSpacingMs = 1_000

/** One server: its connection, and its tools as it last listed them. */
export class McpServer {
  readonly name: string
  readonly settings: McpServerSettings
  readonly link: KeptLink
  readonly #surroundings: Surroundings
  readonly #onTools: (server: McpServer) => Promise<void>
  #tools: readonly RemoteTool[] = []
  #stderr = () => ""
  #isStale = false
  #refreshing: Promise<void> | undefined

  /** `onTools` is called whenever the tools were read, before the connection counts as ready. */
  constructor(
    name: string,
    settings: McpServerSettings,
    surroundings: Surroundings,
    onTools: (server: McpServer) => Promise<void>,
  ) {
    this.name = name
    this.settings = settings
    this.#surroundings = surroundings
    this.#onTools = onTools
    this.link = new KeptLink({
      open: (signal, onEnd) => this.#open(signal, onEnd),
      startTimeoutMs: this.#startTimeoutMs,
      ports: surroundings.ports,
      onReady: () => this.#isStale && this.#toolsChanged(),
      onEnded: (problem, isMadeAgain) =>
        this.warn("start", `${capital(problem)}${isMadeAgain ? "; it is started again" : ", once too often"}.`),
      onFailure: (problem) => this.warn("start", `It could not be started: ${shown(problem)}.`),
    })
  }

  /** The tools that may be used, whether or not they are approved. */
  get tools(): readonly RemoteTool[] {
    return this.#tools
  }

  /** What its program last wrote to its standard error; `""` over HTTP. */
  get stderr(): string {
    return this.#stderr()
  }

  warn(kind: McpWarning["kind"], message: string): void {
    this.#surroundings.warn({ server: this.name, kind, message })
  }

  get #startTimeoutMs(): number {
    return this.settings.startTimeoutMs ?? defaultStartTimeoutMs
  }

  async #open(signal: AbortSignal, onEnd: () => void): Promise<Link> {
    const events = {
      onStart: (stderr: () => string) => {
        this.#stderr = stderr
      },
      onEnd,
      onToolsChanged: () => this.#toolsChanged(),
    }
    const link = await openLink(this.name, this.settings, { surroundings: this.#surroundings, events, signal })
    try {
      await this.#readTools(link, signal)
    } catch (error) {
      await link.close()
      throw error
    }
    return link
  }

  async #readTools(link: Link, signal: AbortSignal): Promise<void> {
    this.#isStale = false
    const { items, problem } = link.capabilities.tools === undefined ? { items: [] } : await link.list("tools", signal)
    const warn = (message: string): void => this.warn("tools", message)
    if (problem !== undefined) warn(`Not all of its tools could be read: ${problem}.`)
    this.#tools = readToolList(items, { isAllowed: toolFilter(this.settings), warn })
    await this.#onTools(this)
  }

  #toolsChanged(): void {
    this.#isStale = true
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
  }

  /** Goes on while there is news; the list that a new connection begins with is read by whoever opens it. */
  async #refresh(): Promise<void> {
    const { timers } = this.#surroundings.ports
    const { closing } = this.link
    for (let link = this.link.current; this.#isStale && link !== undefined && !closing.aborted; link = this.link.current) {
      const limit = deadline(this.#startTimeoutMs, "its tools could not be read", { timers, other: closing })
      try {
        await this.#readTools(link, limit.signal)
      } catch (error) {
        this.#isStale = false
        if (!closing.aborted)
          this.warn("tools", `Its tools have changed, but could not be read again: ${shown(messageOf(error))}.`)
      } finally {
        limit.clear()
      }
      if (this.#isStale) await pause(refreshSpacingMs, { timers, signal: closing })
    }
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
