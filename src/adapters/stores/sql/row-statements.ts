import type { Expression, ExpressionBuilder, Kysely, QueryResult, SqlBool } from "kysely"
import { NewestMap } from "../../../core/memo.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { ColumnValues, Comparison } from "../../../memory/services/store/rows/rows.ts"
import { type BuiltStatement, PreparedStatement, ValueSlot } from "./prepared.ts"
import { storedBody } from "./row-body.ts"
import type { Queries } from "./sql-database.ts"

type AnyTables = Record<string, Record<string, unknown>>

/** A condition on a column, whose values are places. */
type Term = readonly [column: string, operator: Operator, operand: unknown]
type Operator = "=" | "is" | "is not" | ">" | ">=" | "in" | "not in" | "holding"

/** The values of a column of other rows, as an operand. */
interface Subselect {
  readonly table: string
  readonly column: string
  readonly lists: readonly (readonly Term[])[]
}

/** Statements about a table whose name is data. */
export function anyTable(db: Queries): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables>
}

/** True for a column of plain JSON. */
export function isBody(column: string): boolean {
  return column === "body" || column === "whole_state"
}

/** Takes the values of a statement and gives places for them, so that statements of one shape are built once. */
export class StatementValues {
  readonly list: unknown[] = []

  /** The place of a value in a column, in the form in which databases keep it. */
  place(value: unknown, column = ""): ValueSlot {
    const stored = isBody(column) && value !== null ? storedBody(value) : value
    this.list.push(typeof stored === "string" && !isBody(column) ? keyText(stored) : stored)
    return new ValueSlot(this.list.length - 1)
  }

  /** A row or change with places for its values. */
  row(row: object): Record<string, ValueSlot> {
    return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, this.place(value, column)]))
  }

  /** The lists of conditions that a `Where` holds. */
  lists(where: unknown): readonly (readonly Term[])[] {
    const all = (Array.isArray(where) ? where : [where]) as readonly Readonly<Record<string, unknown>>[]
    return all.map((conditions) =>
      Object.entries(conditions).flatMap(([column, given]) => (given === undefined ? [] : [this.#term(column, given)])),
    )
  }

  #term(column: string, value: unknown): Term {
    if (value === null) return [column, "is", null]
    if (typeof value !== "object") return [column, "=", this.place(value)]
    const given = value as Comparison
    if ("in" in given) return [column, "in", given.in.map((item) => this.place(item))]
    if ("notIn" in given) return [column, "not in", given.notIn.map((item) => this.place(item))]
    if ("above" in given) return [column, ">", this.place(given.above)]
    if ("from" in given) return [column, ">=", this.place(given.from)]
    if ("isNot" in given) return [column, "is not", null]
    if ("holding" in given) return [column, "holding", given.holding]
    return "within" in given ? [column, "in", this.#subselect(given.within)] : [column, "not in", this.#subselect(given.outside)]
  }

  #subselect({ table, column, where }: ColumnValues): Subselect {
    return { table, column, lists: this.lists(where) }
  }
}

/** All that tells a statement from others but its values. */
type StatementShape = readonly [kind: string, table: string, ...parts: unknown[]]

/** Shapes of more characters are those of long lists, which seldom come again. */
const longestShape = 2_000
const mostStatements = 300

/** The statements of one database, each built once for its shape. */
export class RowStatements {
  readonly #known = new NewestMap<string, PreparedStatement<unknown>>(mostStatements)

  run<Row = Record<string, unknown>>(
    db: Queries,
    { shape, values }: { readonly shape: StatementShape; readonly values: StatementValues },
    build: (db: Kysely<AnyTables>, table: string) => unknown,
  ): Promise<QueryResult<Row>> {
    const text = JSON.stringify(shape)
    let statement = this.#known.get(text)
    if (statement === undefined) {
      statement = new PreparedStatement(db, build(anyTable(db), shape[1]) as BuiltStatement<unknown>)
      if (text.length <= longestShape) this.#known.set(text, statement)
    }
    return statement.run(db, values.list) as Promise<QueryResult<Row>>
  }
}

type Builder = ExpressionBuilder<AnyTables, string>

/** A statement for the rows that meet one of the lists of conditions. `of` is the table where its name is needed. */
export function filtered<Query>(query: Query, lists: readonly (readonly Term[])[], of = ""): Query {
  type FilteredQuery = { where(condition: (eb: Builder) => Expression<SqlBool>): FilteredQuery }
  const filtering = query as FilteredQuery
  const [only = []] = lists
  if (lists.length === 1)
    return only.reduce((before, term) => before.where((eb) => conditionOf(eb, term, of)), filtering) as Query
  const anyOf = (eb: Builder) => eb.or(lists.map((terms) => eb.and(terms.map((term) => conditionOf(eb, term, of)))))
  return filtering.where(anyOf) as Query
}

function conditionOf(eb: Builder, [name, operator, operand]: Term, of: string): Expression<SqlBool> {
  const column = of === "" ? name : `${of}.${name}`
  if (operator === "holding") return eb.or((operand as readonly string[]).map((member) => eb(column, "like", `%"${member}"%`)))
  // Databases refuse an empty list.
  if (Array.isArray(operand) && operand.length === 0) return eb.lit(operator === "not in")
  if (operand === null || operand instanceof ValueSlot || Array.isArray(operand)) return eb(column, operator, operand)
  const { table, column: selected, lists } = operand as Subselect
  return eb(column, operator, filtered(eb.selectFrom(table).select(selected), lists) as never)
}
