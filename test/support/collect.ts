/** Everything an asynchronous sequence yields, in order. */
export async function collect<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of sequence) items.push(item)
  return items
}
