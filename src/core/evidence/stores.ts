import type { NoEvidence } from "./files.ts"

/** Sessions and stores */
export interface StoreErrors {
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
