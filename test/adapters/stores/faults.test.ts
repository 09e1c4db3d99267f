import { describe, expect, test } from "vitest"
import { connectionTarget } from "../../../src/adapters/stores/postgres/connection-url.ts"
import { codeOf, isConnectionLost, postgresFault } from "../../../src/adapters/stores/postgres/postgres-fault.ts"
import { postgresSettings } from "../../../src/adapters/stores/postgres/postgres-options.ts"
import { damagedRow } from "../../../src/adapters/stores/sql/row-body.ts"
import { busyFault, isBusy, sqliteFault } from "../../../src/adapters/stores/sqlite/sqlite-fault.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { runnerClosed } from "../../../src/memory/services/store/job-attempt.ts"
import { sessionConflict } from "../../../src/memory/services/store/session-store.ts"
import { storeClosed } from "../../../src/memory/services/store/store.ts"

const target = connectionTarget("postgres://bot:s3cret@db:5433/chat")

/** An error as a person reads it, with its evidence. */
function shown(name: string, error: unknown): string {
  if (!PromptStrataError.isInstance(error)) return `## ${name}\n\nstays as it is: ${String(error)}\n`
  const { code, message, evidence, cause } = error
  const caused = cause === undefined ? "" : `\n\ncaused by ${String(cause)}`
  return `## ${name}\n\n${code}: ${message}\n\n${JSON.stringify(evidence)}${caused}\n`
}

const coded = (code: string, message = "no luck with s3cret") => Object.assign(new Error(message), { code })
const sqlite = (errcode: number | undefined, message = "no luck") =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", ...(errcode === undefined ? {} : { errcode }) })

const serverCodes = "28P01 28000 3D000 42501 53300 53100 25006 42703 42P01 57P03 57P01 57014 08006 XX000".split(" ")
const networkCodes = "ECONNRESET EPIPE ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH EOTHER".split(" ")
const words = [
  "timeout exceeded when trying to connect",
  "Connection terminated unexpectedly",
  "the client has ended",
  "is not queryable",
  "",
]

test("the faults of stores say what happened, where, and what to do", async () => {
  const all = new AggregateError([new Error("refused at ::1"), new Error("refused at 127.0.0.1")])
  const row = { table: "messages", columns: { agent: "fay", conversation: "chat", position: 3 } }
  const known = new PromptStrataError("store", "known already")
  const faults = [
    ...[...serverCodes, ...networkCodes].map((code) => shown(`PostgreSQL ${code}`, postgresFault(coded(code), target))),
    ...words.map((said) => shown(`PostgreSQL ${JSON.stringify(said)}`, postgresFault(new Error(said), target))),
    shown("PostgreSQL at several addresses", postgresFault(all, target)),
    shown("PostgreSQL without a reason", postgresFault(new AggregateError([]), target)),
    shown("PostgreSQL with words alone", postgresFault("out of luck", target)),
    shown("an error of ours behind PostgreSQL", postgresFault(known, target)),
    ...[1, 8, 10, 11, 13, 14, 26, 266, undefined].map((code) =>
      shown(`SQLite ${code}`, sqliteFault(sqlite(code), "a/store.sqlite")),
    ),
    ...["no such table: x", "no such column: x", "table x has no column named y"].map((said) =>
      shown(`SQLite ${said}`, sqliteFault(sqlite(1, said), "a/store.sqlite")),
    ),
    shown("an error of ours behind SQLite", sqliteFault(known, "a/store.sqlite")),
    shown("an error of something else behind SQLite", sqliteFault(new TypeError("odd"), "a/store.sqlite")),
    shown("a file that is busy", busyFault("a/store.sqlite", 250)),
    shown("a damaged row", damagedRow(row, "broken JSON", new SyntaxError("Unexpected end"))),
    shown("a store that was closed", storeClosed("The store in a/store.sqlite", { what: "store" } as never)),
    shown("a runner that was closed", runnerClosed()),
    shown("another commit came first", sessionConflict({ agent: "fay", conversation: "chat", audience: "group" }, 3, 5)),
  ]
  await expect(faults.join("\n")).toMatchFileSnapshot("__snapshots__/faults.md")
})

describe("an error is told apart by its code", () => {
  test.each([
    [5, true],
    [6, true],
    [261, true],
    [262, true],
    [4, false],
    [7, false],
    [undefined, false],
  ])("SQLite's %s is busy: %s", (errcode, busy) => {
    expect(isBusy(sqlite(errcode))).toBe(busy)
  })

  test("what is no error of SQLite is not busy", () => {
    for (const other of [undefined, null, "busy", { errcode: 5 }, Object.assign(new Error("x"), { errcode: "5" })])
      expect(isBusy(other)).toBe(false)
  })

  test.each<[name: string, error: unknown, lost: boolean]>([
    ...["57P01", "57P02", "ECONNRESET", "EPIPE", "08000", "08006"].map(
      (code) => [code, coded(code), true] as [string, unknown, boolean],
    ),
    ...["57P03", "57014", "ECONNREFUSED", "40001", "28P01"].map(
      (code) => [code, coded(code), false] as [string, unknown, boolean],
    ),
    ["a code before words", coded("40001", "Connection terminated"), false],
    ["words", new Error("Connection terminated unexpectedly"), true],
    ["other words", new Error("Client has encountered a connection error and is not queryable"), true],
    ["a blank code", coded("", "not queryable"), true],
    ["anything else", new Error("timeout"), false],
    ["nothing", undefined, false],
  ])("a connection is lost with %s: %s", (_, error, lost) => {
    expect(isConnectionLost(error)).toBe(lost)
  })

  test("a code is a text", () => {
    expect([coded("X"), { code: "Y" }, { code: 5 }, "code", null, undefined, {}].map(codeOf)).toEqual([
      "X",
      "Y",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

test("a connection URL is refused without being repeated, and its secrets are known in every form", () => {
  for (const url of ["mysql://bot:s3cret@db/x", "s3cret", "postgres:///x", ""]) {
    const refused = expect(() => connectionTarget(url))
    refused.toThrow(
      /^Expected a connection URL of PostgreSQL, found something else\.\nWrite postgres:\/\/user:password@host:5432\/database, with characters such as @ and \/ in the password as %40 and %2F\.$/,
    )
  }
  expect(connectionTarget("postgres://b%zz:p%40%zz@db/x?password=q")).toEqual({
    shown: "postgres://b%zz@db/x",
    host: "db",
    user: "b%zz",
    database: "x",
    secrets: ["p%40%zz", "p%40%zz", "q"],
  })
  expect(connectionTarget("postgres://b:p%40@db").secrets).toEqual(["p%40", "p@"])
})

test("without options a store on PostgreSQL has these settings", () => {
  const { timers: _timers, random, onWarning: _onWarning, ...settings } = postgresSettings({ url: "postgres://db/x" })
  expect(settings).toMatchSnapshot()
  expect(random).toBe(Math.random)
})
