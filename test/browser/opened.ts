import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterEach, beforeAll } from "vitest"
import type { InspectorServer } from "../../src/apps/server/inspector/inspector.ts"
import { inspected } from "../apps/server/inspector/inspected.ts"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The program of the browser: `CHROMIUM`, or where Debian and others put it. Undefined if there is none. */
export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM, ...places].find((path) => path !== undefined && existsSync(path))
}

function browserPath(): string {
  const found = findBrowser()
  if (found !== undefined) return found
  throw new Error(`Expected Chromium at ${places.join(", ")} or at $CHROMIUM; on Debian: apt-get install chromium.`)
}

/** A profile with a prompt of several layers. */
export const english = {
  dialect: "layered",
  locale: "en",
  persona: "You are Fay, a calm guide in a museum.",
  user: { name: "Ann" },
} as const

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The violations that axe finds. */
export async function violations(page: Page): Promise<string[]> {
  // By the protocol of the browser's tools: the page's policy lets no script in.
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: axe })
  const run = `axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary))))`
  const { result } = await session.send("Runtime.evaluate", { expression: run, awaitPromise: true })
  return JSON.parse(String(result.value)) as string[]
}

/** An agent whose page stands open in a browser. */
export interface Opened extends ReturnType<typeof inspected> {
  readonly page: Page
  readonly server: InspectorServer
  /** Whatever the page reported as an error, and each request that it sent elsewhere. */
  readonly problems: string[]
}

/** The files of a process share one: it ends with the process. */
let browser: Browser | undefined
const closing: (() => Promise<void>)[] = []

/** Starts the browser before the tests of the first file. Returns a function that opens the page of a new agent. */
export function useBrowser(): (...given: Parameters<typeof inspected>) => Promise<Opened> {
  beforeAll(async () => {
    browser ??= await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox"] })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  return async (...given) => {
    const parts = inspected(...given)
    const server = await parts.made.listen()
    const { page, problems } = await openPage(server.url)
    closing.push(() => server.close())
    return { ...parts, server, page, problems }
  }
}

/** Opens an address in a new window. */
export async function openPage(url: string): Promise<{ readonly page: Page; readonly problems: string[] }> {
  if (browser === undefined) throw new Error("Expected useBrowser() before a page is opened.")
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, locale: "en-US", acceptDownloads: true })
  const page = await context.newPage()
  const problems: string[] = []
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
  page.on("pageerror", (error) => problems.push(String(error)))
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(url).host && request.url() !== "data:,")
      problems.push(`request: ${request.url()}`)
  })
  await page.goto(url)
  closing.push(() => context.close())
  return { page, problems }
}
