/* The client that the conformance suite runs: it connects as an agent would and calls every tool it finds. */
import { connectMcp } from "../../../src/adapters/mcp/connect-mcp.ts"

const url = process.argv.at(-1) ?? ""
const mcp = await connectMcp(
  { server: { url } },
  {
    // The user accepts as it is, so that only defaults can fill the answer.
    elicit: async () => ({ action: "accept", content: {} }),
    onWarning: ({ message }) => console.error(message),
  },
)
for (const tool of mcp.tools) {
  const result = await tool.execute(
    { a: 5, b: 3 },
    {
      signal: new AbortController().signal,
      key: { agent: "a", conversation: "c", audience: "private", user: "u" },
      turnId: "turn",
      clock: { nowMs: () => 0 },
    },
  )
  console.log(tool.name, String(result))
}
await mcp.close()
