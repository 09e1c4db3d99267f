/** Makes any text a literal: parsed as a template, the result prints `text` and nothing else, also inside a branch (R1). */
export function escapeTemplate(text: string): string {
  return text.replaceAll(/\$\{|[:}]/g, "$$$&")
}
