import { checkType } from "../../core/check-options.ts"
import type { Template } from "./ast.ts"
import { parseTemplate } from "./parse.ts"
import { renderParsed, type TemplateValues } from "./render.ts"

/**
 * Renders a template with plain values (R1). A name that `values` lacks is an error unless it has a placeholder, stands
 * in a condition or is declared optional; `undefined`, `false` and blank text print nothing.
 */
export function renderTemplate(template: Template | string, values: TemplateValues = {}): string {
  const parsed = typeof template === "string" ? parseTemplate(template) : template
  checkType("the nodes of the template of renderTemplate", parsed?.nodes, "list")
  return renderParsed(parsed, values)
}
