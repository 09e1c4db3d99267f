import type { CompiledQuery } from "kysely"
import type { Queries } from "./sql-tables.ts"

/** The place of a value in a statement. */
class Place {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** A statement as Kysely builds it. */
interface Built<Row> {
  compile(): CompiledQuery<Row>
}

/** Runs a statement on the connection of the current transaction and returns its rows. */
type RunNow = (query: CompiledQuery) => readonly unknown[]

const runsNow = new WeakMap<object, RunNow>()

/** Lets the prepared statements of a database with one connection run at once: the way through Kysely takes more CPU than they do. */
export function runPreparedAtOnce(db: Queries, run: RunNow): void {
  runsNow.set(db.getExecutor().adapter, run)
}

/**
 * A statement that is built once for each database and then only gets its values: building takes many times the CPU of running it, and
 * every turn runs the same few. `build` must pass on each value as it is, and `names` are the names of all of them.
 */
export function prepared<Values extends object, Row>(
  names: readonly (keyof Values)[],
  build: (db: Queries, values: Values) => Built<Row>,
): (db: Queries, values: Values) => Promise<readonly Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  const places = Object.fromEntries(names.map((name) => [name, new Place(name)])) as unknown as Values
  return async (db, values) => {
    // One for each opened database.
    const { adapter } = db.getExecutor()
    let query = compiled.get(adapter)
    if (!query) {
      query = build(db, places).compile()
      compiled.set(adapter, query)
    }
    const parameters = query.parameters.map((given) => (given instanceof Place ? values[given.name as keyof Values] : given))
    const now = runsNow.get(adapter)
    if (now) return now({ ...query, parameters }) as readonly Row[]
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
