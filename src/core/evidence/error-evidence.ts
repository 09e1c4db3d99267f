import type { Source } from "../source.ts"
import type { FileErrors, NoEvidence } from "./files.ts"
import type { ModelErrors, ToolErrors, TurnErrors } from "./turns.ts"

/** Authored files */
interface AuthoredFileErrors {
  /**
   * A template cannot be parsed or rendered: a directive is not closed, a name has no value, a `${file_load(…)}` finds no file.
   * @remarks Correct the file at the place that the message shows. `promptstrata lint` finds all such places at once.
   */
  readonly template: {
    /** `file-load` where a `${file_load(…)}` could not be followed. */ readonly kind?: "file-load" | undefined
  }
  /**
   * The front matter of a file is no YAML, or has a key that is unknown, missing or of the wrong type.
   * @remarks Correct the key that the message shows.
   */
  readonly "front-matter": {
    /** `duplicate-key` for a key that stands twice. */ readonly kind?: "duplicate-key" | undefined
  }
  /**
   * A prompt file, a dialect, a persona or a character's folder does not exist, or the shipped prompts are not loaded yet.
   * @remarks Compare the name with `known`, and the place with `searched`. Write the file, or name one that exists.
   */
  readonly "prompt-missing": MissingPrompt
  /**
   * A prompt file can be parsed but not used: it has no `${rest}`, it prints text outside a message, or two files have its name.
   * @remarks Correct the file that the message names.
   */
  readonly prompt: {
    /** `rest-slot` for a missing `${rest}`; `two-files` for two files of one name. */
    readonly kind?: "rest-slot" | "two-files" | undefined
  }
  /**
   * An injection has a wrong key, slot or limit, two have one key, or a slot got text where it needs entries.
   * @remarks Correct the layer or plugin that made the injection.
   */
  readonly injection: NoEvidence
  /**
   * A value cannot be written into a prompt, or a text that the library wrote cannot be read back.
   * @remarks Pass plain JSON data. Give the reading functions the exact text that the writing functions returned.
   */
  readonly encoding: {
    /** The line of the transcript that cannot be read, counted from 1. */ readonly line?: number | undefined
  }
  /**
   * A profile is no TOML, has keys that are unknown, of the wrong type or out of bounds, or names a thing that cannot be loaded.
   * @remarks Correct each place that the message lists. docs/profile.md lists every key.
   */
  readonly profile: {
    /** `duplicate-key` for a key or table that stands twice in the TOML. */ readonly kind?: "duplicate-key" | undefined
    /** The mistakes; of a file the first 20. Absent for broken TOML, a wrong `extends` and a tool that `createAgent` does not find. */
    readonly problems?: readonly ProfileMistake[] | undefined
    /** The number of all mistakes of a file, also of those that `problems` leaves out. */ readonly count?: number | undefined
  }
  /** A script of `promptstrata simulate` cannot be read. @remarks Correct the place that the message shows. */
  readonly script: NoEvidence
  /** No profile of that name or path exists. @remarks Compare the name with `known`, and the place with `searched`. */
  readonly "profile-missing": SearchedPlaces
  /** Skills could not be loaded. @remarks Correct each skill that the message lists, or take it out of the folder. */
  readonly skill: {
    /** The mistakes; the first 20 of them. */ readonly problems: readonly SkillMistake[]
    /** The number of all mistakes, also of those that `problems` leaves out. */ readonly count: number
    /** The names of the skills that could be loaded. */ readonly loaded: readonly string[]
  }
}

/** Budget */
interface BudgetErrors {
  /**
   * The prompt is larger than the budget even when everything that may be cut is cut.
   * @remarks Raise `[budget]` to `minimumTokens` or more, or shorten the items in `largest`.
   */
  readonly budget: {
    /** The most tokens that the prompt may have. */ readonly budgetTokens: number
    /** The tokens that are left when everything that may be cut is cut. */ readonly minimumTokens: number
    /** The key and the tokens of the largest items, largest first; at most three. */
    readonly largest: readonly { readonly key: string; readonly tokens: number }[]
  }
}

/** Places that were looked at, and names that would have been found. */
interface SearchedPlaces {
  /** The paths that were tried, in this order. */ readonly searched?: readonly string[] | undefined
  /** The names that exist. */ readonly known?: readonly string[] | undefined
}

/** A prompt file that was not found. */
interface MissingPrompt extends SearchedPlaces {
  /** The path that was asked for. */ readonly path?: string | undefined
  /** The tool whose prompt file is missing. */ readonly tool?: string | undefined
  /** The locale that was asked for, such as `en`. */ readonly locale?: string | undefined
}

/** One mistake in a profile. */
interface ProfileMistake {
  /** The mistake as one sentence: what was expected and what was found. */ readonly message: string
  /** The file, line and column. */ readonly source?: Source | undefined
}

/** One mistake in a skill. */
interface SkillMistake {
  /** The mistake as one sentence: what was expected and what was found. */ readonly message: string
  /** The check that found it, such as `front-matter`. */ readonly rule: string
  /** The file, line and column. */ readonly source?: Source | undefined
  /** Advice: how to mend it. */ readonly hint?: string | undefined
}

/** Plugins and MCP */
interface ExtensionErrors {
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
interface UsageErrors {
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
interface PluginFailure {
  /** The plugin's place in `enabled`, counted from 0. */ readonly at: number
  /** The fault, as one sentence. */ readonly message: string
  /** More lines, such as where it was looked for. */ readonly note?: string | undefined
}

/** The owner of what is stored. */
type Owner = { readonly agent: string; readonly conversation: string; readonly audience: string; readonly user: string }

/** Sessions and stores */
interface StoreErrors {
  /**
   * Another process or session has written to the conversation since this one read it.
   * @remarks The session keeps the words (T20): answer them with `regenerate`. Send them again only if its history lacks them.
   */
  readonly "session-conflict": {
    /** The name of the agent. */ readonly agent: string
    /** The id of the conversation. */ readonly conversation: string
    /** `private` or `group`. */ readonly audience: string
    /** The version that this session had read. */ readonly expectedVersion: number
    /** The version in the store. */ readonly foundVersion: number
  }
  /** Someone else changed a user's profile since it was read. @remarks Read the profile anew and repeat the change. */
  readonly "version-conflict": {
    /** The name of the agent. */ readonly agent: string
    /** The id of the user. */ readonly user: string
    /** The version that the caller had read. */ readonly expectedVersion: number
    /** The version in the store. */ readonly foundVersion: number
  }
  /**
   * The store could not load or keep the session. `cause` is the store's error.
   * @remarks Repair the store, then ask again: a turn that could not be stored left nothing.
   */
  readonly "session-store": NoEvidence
  /** A store failed, or holds data that this version cannot read. @remarks Follow the hint. `code` is the database's own code. */
  readonly store: {
    /** The file of an SQLite store. */ readonly file?: string | undefined
    /** The address of a PostgreSQL store, without its password. */ readonly database?: string | undefined
    /** The code of the database: SQLSTATE or the system's code for PostgreSQL, SQLite's code for SQLite. */
    readonly code?: string | number | undefined
    /** The time that the store waited for a lock, in milliseconds. */ readonly waitedMs?: number | undefined
    /** The path of the file that could not be made. */ readonly path?: string | undefined
    /** The part of the schema that a newer version of the library wrote. */ readonly part?: string | undefined
    /** The version of that part in the store. */ readonly foundVersion?: number | undefined
    /** The newest version of that part that this library can read. */ readonly knownVersion?: number | undefined
    /** The line of an export that cannot be read, counted from 1. */ readonly line?: number | undefined
    /** The table of a damaged row. */ readonly table?: string | undefined
    /** The columns that name a damaged row. */ readonly row?: Readonly<Record<string, string | number>> | undefined
  }
  /**
   * Work after a turn (memories, summaries) is not done.
   * @remarks Nothing: the conversation itself is complete, and the work is tried again. After its last attempt it is a dead letter, which the error says.
   */
  readonly background: {
    /** The kinds of work that are not done. */ readonly kinds?: readonly string[] | undefined
  }
  /**
   * An agent or a store was used after `close`, or closed while work was going on.
   * @remarks Close a store after the agents that use it, and an agent after its turns.
   */
  readonly closed: {
    /** The name of the agent. */ readonly agent?: string | undefined
    /** The file of an SQLite store. */ readonly file?: string | undefined
    /** The address of a PostgreSQL store, without its password. */ readonly database?: string | undefined
  }
}

/**
 * The fields of `error.evidence` for each `error.code`. A field that is not optional is always there.
 *
 * docs/errors.md is generated from the comments in these interfaces. The comment of a code says when it is thrown; its `@remarks`
 * say what to do.
 */
export interface ErrorEvidence
  extends AuthoredFileErrors,
    BudgetErrors,
    ToolErrors,
    ModelErrors,
    TurnErrors,
    StoreErrors,
    FileErrors,
    ExtensionErrors,
    UsageErrors {}
