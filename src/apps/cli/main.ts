#!/usr/bin/env node
import process from "node:process"

const leastNode = [22, 13] as const
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1])) {
  process.stderr.write(`promptstrata needs Node ${leastNode.join(".")} or newer, found ${process.versions.node}.\n`)
  process.exitCode = 1
} else if (/^(?:-V|--version)$/.test(process.argv.slice(2).join(" "))) {
  // Without the commands, which take as long to load as Node.js itself.
  const { packageVersion } = await import("../../node/shipped-files.ts")
  process.stdout.write(`${packageVersion()}\n`)
} else {
  await run()
}

/** Imports the program only now, because an older Node cannot parse it. */
async function run(): Promise<void> {
  const { runCli } = await import("./run-cli.ts")
  const { stdin, stdout, stderr, env } = process
  const lost: Error[] = []
  // The last write may fail when the command has ended. A reader that went away is no failure.
  for (const stream of [stdout, stderr]) stream.on("error", (error) => error.message.includes("EPIPE") || lost.push(error))
  const code = await runCli(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    onInterrupt(listener) {
      process.on("SIGINT", listener)
      return () => process.off("SIGINT", listener)
    },
    onTerminate(listener) {
      for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, listener)
      // A listener does not keep the process alive, and neither does polling for jobs.
      const held = setInterval(() => undefined, 2 ** 30)
      return () => {
        clearInterval(held)
        for (const signal of ["SIGTERM", "SIGHUP"]) process.off(signal, listener)
      }
    },
  })
  // Waits until all output is written.
  for (const stream of [stdout, stderr]) await new Promise<void>((resolve) => stream.write("", () => resolve()))
  if (lost[0]) stderr.write(`error: The output could not be written: ${lost[0].message}\n`)
  process.exit(lost[0] ? 1 : code)
}
