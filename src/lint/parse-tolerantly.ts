import { PromptStrataError } from "../core/errors.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import type { Template } from "../prompt/template/ast.ts"
import { parseTemplate, type TemplateLoader } from "../prompt/template/parse.ts"
import { normalizeText } from "../prompt/template/scanner.ts"

/** The search ends after this many mistakes: such a file is hardly a template. */
const maxFaults = 50

/**
 * Parses a prompt's body past its mistakes, so that all of them are found. An expression that cannot be read is replaced by
 * spaces, so that everything else keeps its place. A mistake in a file that it loads ends the parsing, as that file is parsed
 * by itself too; then there is no template.
 */
export function parseTolerantly(
  source: PromptSource,
  load: TemplateLoader,
): { readonly template?: Template; readonly errors: readonly PromptStrataError[] } {
  const { path: file, firstLine } = source
  const errors: PromptStrataError[] = []
  let text = normalizeText(source.body)
  for (let tries = 0; tries <= 2 * maxFaults; tries++) {
    try {
      return { template: parseTemplate(text, { file, firstLine, load }), errors }
    } catch (error) {
      if (!PromptStrataError.isInstance(error)) throw error
      if (!errors.some((known) => samePlace(known, error))) errors.push(error)
      if (error.source?.file !== file || errors.length >= maxFaults) return { errors }
      const blanked = blankExpression(text, offsetOf(text, error.source.line - firstLine, error.source.column ?? 1))
      if (blanked === text) return { errors }
      text = blanked
    }
  }
  return { errors }
}

function samePlace(a: PromptStrataError, b: PromptStrataError): boolean {
  return a.source?.line === b.source?.line && a.source?.column === b.source?.column
}

function offsetOf(text: string, linesBefore: number, column: number): number {
  let start = 0
  for (let line = 0; line < linesBefore; line++) start = text.indexOf("\n", start) + 1
  return start + [...text.slice(start, start + 2 * column)].slice(0, column - 1).join("").length
}

/** Replaces the expression at `fault` by spaces: the one that is open there, else the one that begins there. */
function blankExpression(text: string, fault: number): string {
  const before = fault === 0 ? -1 : text.lastIndexOf("${", fault - 1)
  const isOpen = before >= 0 && !text.slice(before, fault).includes("}")
  const start = isOpen ? before : text.startsWith("${", fault) ? fault : before
  if (start < 0) return text
  const close = text.indexOf("}", Math.max(fault, start))
  const next = text.indexOf("${", Math.max(fault, start + 2))
  const end = close >= 0 && (next < 0 || close < next) ? close + 1 : start + 2
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end)
}
