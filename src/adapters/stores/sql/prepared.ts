import type { CompiledQuery, QueryResult } from "kysely"
import type { Queries } from "./sql-database.ts"

/** The place of a value in a statement. */
export class ValueSlot {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }

  /** In the shape of a statement, every value is alike. */
  toJSON(): string {
    return "?"
  }
}

/** A statement as Kysely builds it. */
export interface BuiltStatement<Row> {
  compile(): CompiledQuery<Row>
}

/** Prepares a statement on the one connection of a database. The function that it returns runs the statement at once. */
type Prepare = (query: CompiledQuery) => (parameters: readonly unknown[]) => QueryResult<unknown>

/** By database: its statements end with it. */
const preparing = new WeakMap<object, Prepare>()

/** Lets the prepared statements of a database with one connection run at once: the way through Kysely takes more CPU than they do. */
export function runPreparedAtOnce(db: Queries, prepare: Prepare): void {
  preparing.set(db.getExecutor().adapter, prepare)
}

/** A statement with places, compiled for one database. */
export class PreparedStatement<Row> {
  readonly #query: CompiledQuery<Row>
  readonly #run: ReturnType<Prepare> | undefined

  constructor(db: Queries, built: BuiltStatement<Row>) {
    this.#query = built.compile()
    this.#run = preparing.get(db.getExecutor().adapter)?.(this.#query)
  }

  /** Runs it with the values for its places. */
  async run(db: Queries, values: object): Promise<QueryResult<Row>> {
    const parameters = this.#query.parameters.map((given) =>
      given instanceof ValueSlot ? values[given.name as keyof typeof values] : given,
    )
    return this.#run ? (this.#run(parameters) as QueryResult<Row>) : db.executeQuery<Row>({ ...this.#query, parameters })
  }
}

/**
 * A statement that is built once for each database and then only gets its values: building takes many times the CPU of running it, and
 * every turn runs the same few. `build` must pass on each value as it is, and `names` are the names of all of them.
 */
export function prepared<Values extends object, Row>(
  names: readonly (keyof Values)[],
  build: (db: Queries, values: Values) => BuiltStatement<Row>,
): (db: Queries, values: Values) => Promise<QueryResult<Row>> {
  /** By database, as a statement belongs to one. */
  const compiled = new WeakMap<object, PreparedStatement<Row>>()
  const places = Object.fromEntries(names.map((name) => [name, new ValueSlot(name)])) as unknown as Values
  return async (db, values) => {
    // One for each opened database.
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter) ?? new PreparedStatement(db, build(db, places))
    compiled.set(adapter, known)
    return known.run(db, values)
  }
}
