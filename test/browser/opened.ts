import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll } from "vitest"
import type { InspectorServer } from "../../src/server/inspector/inspector.ts"
import { inspected } from "../server/inspector/inspected.ts"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The program of the browser: `CHROMIUM`, or where Debian and others put it. Throws if there is none. */
function browserPath(): string {
  const found = [process.env.CHROMIUM, ...places].find((path) => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  throw new Error(`Expected Chromium at ${places.join(", ")} or at $CHROMIUM; on Debian: apt-get install chromium.`)
}

/** An agent whose page stands open in a browser. */
export interface Opened extends ReturnType<typeof inspected> {
  readonly page: Page
  readonly server: InspectorServer
  /** Whatever the page reported as an error, and each request that it sent elsewhere. */
  readonly problems: string[]
}

let browser: Browser
const closing: (() => Promise<void>)[] = []

/** Starts the browser before the tests of a file. Returns a function that opens the page of a new agent. */
export function useBrowser(): (...given: Parameters<typeof inspected>) => Promise<Opened> {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox"] })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  afterAll(() => browser.close())
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
