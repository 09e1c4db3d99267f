/** The head of a table: a name for each column. `numbers` are the places of columns with numbers. */
export function TableHead({ names, numbers = [] }: { readonly names: readonly string[]; readonly numbers?: readonly number[] }) {
  return (
    <thead>
      <tr>
        {names.map((name, at) => (
          <th key={name} scope="col" class={numbers.includes(at) ? "number" : ""}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
