import { locatedError } from "../core/errors.ts"
import type { Template, TemplateNode } from "../template/ast.ts"
import { type PromptSource, promptKinds, promptName } from "./prompt-source.ts"

/**
 * Refuses a prompt in which an injection that no slot names could vanish (design, rule 1): `${rest}` must be printed
 * whichever way the conditionals go; a conditional on `rest` itself may hold it.
 */
export function requireRest(source: PromptSource, template: Template): void {
  const name = promptName(source.path)
  if (!promptKinds.includes(name) && !opensMessage(template.nodes)) return
  if (printsRest(template.nodes)) return
  const message = mentionsRest(template.nodes)
    ? `expected \${rest} to be printed in any case, found it only inside a condition on another name.`
    : `expected a \${rest} slot in a prompt file, found none.`
  throw locatedError("prompt", message, {
    file: source.path,
    text: "\n".repeat(source.firstLine - 1) + source.body,
    position: { line: source.firstLine, column: 1 },
    hint: `What no slot names is printed at \${rest}, so that nothing a plugin adds is lost. Put \${rest} where such text belongs.`,
  })
}

function printsRest(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "slot" || node.type === "messages") return node.name === "rest"
    if (node.type !== "conditional") return false
    return printsRest(node.then) && (node.name === "rest" || printsRest(node.otherwise))
  })
}

function mentionsRest(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return mentionsRest([...node.then, ...node.otherwise])
    return node.type === "slot" && (node.name === "rest" || mentionsRest(node.placeholder ?? []))
  })
}

function opensMessage(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return opensMessage(node.then) || opensMessage(node.otherwise)
    return node.type === "role"
  })
}
