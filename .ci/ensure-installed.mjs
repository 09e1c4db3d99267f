// Runs before `npm start`, `npm test` and `npm run bench`: installs what package-lock.json names when it is not there.
// It is the one file that the machine's own Node runs, however old; everything after it runs on the Node it installs.
// `test/bench` as an argument does the same for the peers of the benchmarks; `--clean` installs in any case.
// Nothing is written to stdout, so that `npm start -- --json` stays readable by machines.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, process.argv.slice(2).find((argument) => !argument.startsWith("--")) || "")
const clean = process.argv.includes("--clean")

const reason = clean ? "a clean install was asked for" : staleness()
if (reason !== undefined) install(reason)
checkNode()

/** Why node_modules does not hold what package-lock.json names, or undefined when it does. */
function staleness() {
  const wanted = packagesIn("package-lock.json")
  const found = packagesIn(join("node_modules", ".package-lock.json"))
  if (wanted === undefined) return "package-lock.json cannot be read"
  if (found === undefined) return "node_modules is missing"
  for (const path of Object.keys(wanted)) {
    // Optional packages are for other platforms.
    if (path === "" || (wanted[path].optional && found[path] === undefined)) continue
    if (found[path] === undefined || found[path].version !== wanted[path].version)
      return `${path} is missing or of another version`
  }
  for (const path of Object.keys(found)) if (wanted[path] === undefined) return `${path} is no longer needed`
  return undefined
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), "utf8")).packages
  } catch {
    return undefined
  }
}

function install(why) {
  say(`installing dependencies (${why}) …`)
  // engine-strict off: the machine's Node may be older than the packages ask for, the one that runs them is not.
  const flags = ["ci", "--no-audit", "--no-fund", "--engine-strict=false", "--loglevel=error"]
  // By way of a shell, as npm is a script with another name on each platform.
  const { status, error } = spawnSync(`npm ${flags.join(" ")}`, { cwd: folder, shell: true, stdio: ["ignore", 2, 2] })
  if (status === 0) return
  fail(`npm ci failed${error ? ` (${error.message})` : ""}. Look at npm's words above, then try again.`)
}

/** Says so when this Node is too old, and stops when the one that npm's scripts will run on is so too. */
function checkNode() {
  const least = "22.18.0" // the first 22 that runs TypeScript as it stands; the published package needs only engines.node
  const found = process.versions.node
  if (!isOlder(found, least)) return
  const bundled = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node")
  const own = existsSync(bundled) ? versionOf(bundled) : undefined
  if (own !== undefined && !isOlder(own, least)) {
    say(`this machine's Node ${found} is older than ${least}; using the project's own Node ${own}.`)
    return
  }
  fail(
    `Node ${least} or newer is needed, found ${found}, and the project's own Node (dev dependency "node") did not install. ` +
      `Its install script may be blocked: run "npm ci --ignore-scripts=false", or install Node 24.`,
  )
}

function versionOf(executable) {
  const { status, stdout } = spawnSync(`"${executable}" --version`, { shell: true, encoding: "utf8" })
  return status === 0 ? stdout.trim().replace(/^v/, "") : undefined
}

function isOlder(version, than) {
  const [a, b] = [version, than].map((text) => text.split(".").map(Number))
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] < b[i]
  return false
}

function say(text) {
  process.stderr.write(`promptstrata: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
