import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { expect, onTestFinished, test } from "vitest"
import { findBrowser, openPage, useBrowser } from "../browser/opened.ts"
import { startChatServer } from "../support/chat-server.ts"
import { root } from "../support/source-files.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { answersOf, promptOf } from "./support/model-answers.ts"
import { exampleFolder, homeOfExample, startExample, withPackages } from "./support/running-example.ts"

const folder = exampleFolder("http") ?? ""
const isPossible = folder !== "" && findBrowser() !== undefined
if (isPossible) useBrowser()
else console.log("the React page of examples/http: skipped, because its packages or Chromium are not here")

/** The React page of the example's README, bundled for a browser, with another address of the server. */
async function bundledPage(url: string): Promise<string> {
  const [, page = ""] = /```tsx\n([\s\S]*?)```/.exec(readFileSync(`${root}examples/http/README.md`, "utf8")) ?? []
  expect(page).toContain("http://localhost:8787")
  const main = `import { createRoot } from "react-dom/client"
import { Chat } from "./chat.tsx"
createRoot(document.getElementById("root")!).render(<Chat />)`
  const files = { "chat.tsx": page.replace("http://localhost:8787", url), "main.tsx": main }
  const cwd = withPackages(tempFolder(files), folder)
  const bundle = await rolldown({
    input: join(cwd, "main.tsx"),
    platform: "browser",
    logLevel: "silent",
    transform: { jsx: "react-jsx", define: { "process.env.NODE_ENV": '"production"' } },
  })
  const { output } = await bundle.generate({ format: "esm" })
  await bundle.close()
  return output[0].code
}

test.skipIf(!isPossible)("N18 the React page of examples/http talks in Chromium from an origin of its own", async () => {
  const model = await startChatServer()
  onTestFinished(() => model.close())
  model.reply(...answersOf("Nice to meet you, Ann.", "You are Ann."))
  let script = ""
  const page = createServer(({ url }, response) => {
    response.setHeader("content-type", url === "/page.js" ? "text/javascript" : "text/html")
    response.end(url === "/page.js" ? script : '<div id="root"></div><script type="module" src="/page.js"></script>')
  })
  await new Promise<void>((resolve) => page.listen(0, "localhost", resolve))
  onTestFinished(() => void page.close())
  const origin = `http://localhost:${(page.address() as AddressInfo).port}`
  const env = { KEYS: "ann:secret-1", PORT: "0", OPENAI_BASE_URL: model.baseUrl, ORIGINS: origin }
  const server = startExample({ program: [folder, "server.ts"], env, cwd: homeOfExample() })
  await server.shows("Ctrl-C ends it.")
  script = await bundledPage(/http:\/\/localhost:\d+/.exec(server.written.out)?.[0] ?? "")
  const { page: tab, problems } = await openPage(origin)
  const say = async (text: string, answer: string) => {
    await tab.locator("input").fill(text)
    await tab.locator("input").press("Enter")
    await tab.getByText(`assistant: ${answer}`).waitFor()
  }
  await say("I am Ann.", "Nice to meet you, Ann.")
  await say("Who am I?", "You are Ann.")
  expect(promptOf(model, 1)).toContain("I am Ann.")
  expect(problems.filter((problem) => !problem.startsWith("request: ") && !/favicon/.test(problem))).toEqual([])
})
