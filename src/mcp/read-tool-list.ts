import { type RemoteTool, readRemoteTool } from "./remote-tool.ts"
import { shownName } from "./shown.ts"

/** More are told of by their number. */
const maxWarnings = 10

/** The good tools of a list that the filter lets through, each name once; the bad ones are told of, a line each. */
export function readToolList(
  items: readonly unknown[],
  { isAllowed, warn }: { readonly isAllowed: (tool: string) => boolean; readonly warn: (message: string) => void },
): readonly RemoteTool[] {
  const tools = new Map<string, RemoteTool>()
  let problems = 0
  const skip = (raw: unknown, problem: string): void => {
    problems++
    if (problems <= maxWarnings) warn(`The tool ${nameOf(raw)} was left out: ${problem}.`)
  }
  for (const raw of items) {
    const tool = readRemoteTool(raw)
    if ("problem" in tool) skip(raw, tool.problem)
    else if (tools.has(tool.name)) skip(raw, "another one has its name")
    else if (isAllowed(tool.name)) tools.set(tool.name, tool)
  }
  if (problems > maxWarnings) warn(`${problems - maxWarnings} more tools were left out.`)
  return [...tools.values()]
}

function nameOf(raw: unknown): string {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : undefined
  return name === undefined ? "without a name" : shownName(name)
}
