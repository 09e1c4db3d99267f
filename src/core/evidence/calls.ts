import type { NoEvidence } from "./files.ts"

/** Plugins and MCP */
export interface ExtensionErrors {
  /**
   * `loadPlugins` could not load plugins, or a plugin was not closed within `limits.toolMs`. `loadProfile` throws `profile` instead.
   * @remarks Correct each plugin that the message names, or do not load it.
   */
  readonly plugin: {
    /** Only of `loadPlugins`: the plugins that could not be loaded. */ readonly faults?: readonly PluginFailure[] | undefined
  }
  /**
   * The settings of an MCP server are wrong, the server cannot be reached, or a call of its tool has no result.
   * @remarks Check `[mcp.servers.NAME]` in the profile, and whether the server runs.
   */
  readonly mcp: {
    /** The reason why a call has no result. */
    readonly kind?: "stopped" | "unavailable" | "changed" | "gone" | "unreachable" | undefined
    /** The server's name in the profile. */ readonly server?: string | undefined
    /** The file of approvals that cannot be read. */ readonly path?: string | undefined
    /** The setting that needs an environment variable. */ readonly key?: string | undefined
    /** The environment variable that is not set. */ readonly variable?: string | undefined
  }
}

/** Usage */
export interface UsageErrors {
  /**
   * A function, option or command got something that it cannot use.
   * @remarks Correct the call. The message says what was expected.
   */
  readonly usage: {
    /** The file that was to be changed. */ readonly path?: string | undefined
    /** The kind of the two things that have one name, such as `plugins`. */ readonly kind?: string | undefined
    /** The name that two of them have. */ readonly name?: string | undefined
    /** The id that two items have. */ readonly id?: string | undefined
    /** The time zone that is not known. */ readonly timeZone?: string | undefined
    /** The id of a turn that is unknown, or known already. */ readonly turnId?: string | undefined
    /** The number of bytes that were to be kept. */ readonly bytes?: number | undefined
    /** The most bytes that can be kept. */ readonly maxBytes?: number | undefined
    /** The owner that a memory names. */ readonly memory?: Owner | undefined
    /** The owner under which the memory was to be kept. */ readonly key?: Owner | undefined
  }
  /** An optional package, or a part of Node.js, is missing. @remarks Install what the hint names. */
  readonly "missing-dependency": NoEvidence
  /**
   * A check of `promptstrata/testing` failed, or the requests to a scripted or recorded model are not the expected ones.
   * @remarks Compare the requests with the script, or make a new recording.
   */
  readonly test: {
    /** The words for what the check expected. */ readonly expected?: string | undefined
    /** The file of the recording. */ readonly file?: string | undefined
    /** The number of the request, counted from 1. */ readonly request?: number | undefined
    /** The number of requests. */ readonly requests?: number | undefined
    /** The number of steps that the scripted model has. */ readonly steps?: number | undefined
    /** The key of the layer that changed. */ readonly key?: string | undefined
    /** The difference of the two prompts, as `diffAssemblies` returns it. */ readonly difference?: unknown
  }
}

/** One plugin that could not be loaded. */
export interface PluginFailure {
  /** The plugin's place in `enabled`, counted from 0. */ readonly at: number
  /** The fault, as one sentence. */ readonly message: string
  /** More lines, such as where it was looked for. */ readonly note?: string | undefined
}

/** The owner of what is stored. */
type Owner = { readonly agent: string; readonly conversation: string; readonly audience: string; readonly user: string }
