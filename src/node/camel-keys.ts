/** `max_steps` as `maxSteps`. */
type CamelCase<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : K

/** A table with its keys as TOML spells them, spelt as TypeScript does. */
export type CamelKeys<T> = { [K in keyof T as K extends string ? CamelCase<K> : never]: T[K] }

/** A copy with `camelCase` for `snake_case` in the table's own keys; values stay as they are. */
export function camelKeys<T extends object>(table: T): CamelKeys<T> {
  const entries = Object.entries(table).map(([key, value]) => [
    key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(entries) as CamelKeys<T>
}
