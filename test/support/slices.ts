/** The most work that was counted within one turn of the event loop while `run` went on. */
export async function largestSlice(run: (count: (work: number) => void) => Promise<unknown>): Promise<number> {
  let [worked, largest, isOver] = [0, 0, false]
  const watching = (async () => {
    for (let before = 0; !isOver; before = worked) {
      await new Promise(setImmediate)
      largest = Math.max(largest, worked - before)
    }
  })()
  await run((work) => {
    worked += work
  })
  isOver = true
  await watching
  return largest
}
