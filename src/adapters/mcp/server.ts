import { messageOf } from "../../core/errors.ts"
import { pause } from "../../core/timers.ts"
import type { McpServerSettings } from "../../profile/profile.ts"
import { type Link, openLink } from "./link.ts"
import type { ResolvedOptions } from "./options.ts"
import { ReconnectingLink, withDeadline } from "./reconnecting-link.ts"
import { type RemoteTool, readToolList } from "./remote-tools.ts"
import { programOf, toolFilter } from "./server-settings.ts"
import { type McpWarning, safeLine } from "./warnings.ts"
import type { McpWords } from "./words.ts"

const defaultStartTimeoutMs = 15_000

/** The shortest time between two reads of the tool list, for a server that reports changes all the time. */
const refreshSpacingMs = 1_000

/** One server: its connection and the tools that it last listed. */
export class McpServer {
  readonly name: string
  readonly settings: McpServerSettings
  readonly link: ReconnectingLink
  readonly words: McpWords
  readonly #options: ResolvedOptions
  readonly #startTimeoutMs: number
  readonly #onTools: () => Promise<void>
  /** The tools that the settings allow, approved or not. */
  tools: readonly RemoteTool[] = []
  /** A hash of what it runs or where it leads. */
  program = ""
  /** True if a person allowed this program or address: only then anything but its tools, for approval, is read or shown. */
  isAllowed = false
  /** True while nothing is started, because other settings were approved (L24). */
  isHeld = false
  #stderr = () => ""
  #isStale = false
  #refreshing: Promise<void> | undefined

  /** `onTools` is called whenever the tool list was read, before the connection counts as ready. */
  constructor(name: string, settings: McpServerSettings, options: ResolvedOptions, onTools: () => Promise<void>) {
    this.name = name
    this.settings = settings
    this.words = options.words
    this.#options = options
    this.#startTimeoutMs = settings.startTimeoutMs ?? defaultStartTimeoutMs
    this.#onTools = onTools
    this.link = new ReconnectingLink({
      open: (signal, onEnd) => this.#open(signal, onEnd),
      startTimeoutMs: this.#startTimeoutMs,
      ports: options.ports,
      onReady: () => this.#isStale && this.#toolsChanged(),
      onEnded: (problem, isMadeAgain) =>
        this.warn(
          "start",
          `${problem.charAt(0).toUpperCase()}${problem.slice(1)}; ${isMadeAgain ? "it is started again" : "it stopped too often to be started again now"}.`,
        ),
      onFailure: (problem) => this.warn("start", `It could not be started: ${safeLine(problem)}.`),
    })
  }

  /** The end of the program's standard error, or `""` for a server over HTTP. */
  get stderr(): string {
    return this.#stderr()
  }

  warn(kind: McpWarning["kind"], message: string): void {
    this.#options.warn({ server: this.name, kind, message })
  }

  async #open(signal: AbortSignal, onEnd: () => void): Promise<Link> {
    const events = {
      onStart: (stderr: () => string) => {
        this.#stderr = stderr
      },
      onEnd,
      onToolsChanged: () => this.#toolsChanged(),
      isAllowed: () => this.isAllowed,
    }
    const link = await openLink(this.name, this.settings, { options: this.#options, events, signal })
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
    this.program = programOf(this.settings, link.version)
    const tools = readToolList(items, { isAllowed: toolFilter(this.settings), warn })
    this.tools = tools.map((tool) => ({ ...tool, fingerprint: `${tool.fingerprint}:${this.program}` }))
    await this.#onTools()
  }

  #toolsChanged(): void {
    this.#isStale = true
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
  }

  /** Reads the list as long as there are changes. The first list of a new connection is read when it is opened. */
  async #refresh(): Promise<void> {
    const { timers } = this.#options.ports
    const { closing } = this.link
    for (let link = this.link.current; this.#isStale && link !== undefined && !closing.aborted; link = this.link.current) {
      const limit = { ms: this.#startTimeoutMs, what: "its tools could not be read", timers, other: closing }
      const open = link
      try {
        await withDeadline(limit, (signal) => this.#readTools(open, signal))
      } catch (error) {
        this.#isStale = false
        if (!closing.aborted)
          this.warn("tools", `Its tools have changed, but could not be read again: ${safeLine(messageOf(error))}.`)
      }
      if (this.#isStale) await pause(refreshSpacingMs, { timers, signal: closing })
    }
  }
}
