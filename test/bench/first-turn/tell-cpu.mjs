/** Prints what a program has to show and the CPU that its process has taken so far: what it does later is not of its first turn. */
export function tellCpu(text) {
  const { user, system } = process.cpuUsage()
  console.log(`${text}\nCPU ${(user + system) / 1000}`)
}
