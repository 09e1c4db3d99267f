import type { ClientBase } from "pg"

/** Each connection of the server keeps what it knows of a named statement. */
const mostNames = 300

/** Texts of more characters are those of long lists, which seldom come again. */
const longestText = 8_000

/** A statement that gives all columns of a table. */
const allColumns = /^\s*select\s+("\w+"\.)?\*|\breturning\s+\*/i

/**
 * Names for statements that come again. The server parses and plans a named statement once for each connection, which takes it more
 * time than running it.
 */
export class NamedStatements {
  readonly #names = new Map<string, string>()

  /** Lets a connection send the statements with values under their names. A text without any may hold several, which the server refuses to name. */
  async use(client: ClientBase): Promise<void> {
    // The server would plan statements about jobs of pg-boss anew each time, which takes ten times as long as running them.
    await client.query("set plan_cache_mode = force_generic_plan")
    const base: Pick<ClientBase, "query"> = Object.getPrototypeOf(client)
    const query = (...given: unknown[]): unknown => Reflect.apply(base.query, client, given)
    const named = (text: unknown, values: unknown, ...rest: unknown[]): unknown => {
      const name = typeof text === "string" && Array.isArray(values) && values.length > 0 ? this.#nameOf(text) : undefined
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, undefined, ...rest)
    }
    client.query = named as typeof client.query
  }

  /** The name of a statement that has come before. */
  #nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    // The server refuses a statement that it knows once another process has added a column to what it returns.
    if (name === undefined && this.#names.size < mostNames && !allColumns.test(text) && text.length <= longestText)
      this.#names.set(text, `promptstrata ${this.#names.size}`)
    return name
  }
}
