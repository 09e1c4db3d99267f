import type { OutputFormat } from "./output-part.ts"

/** Nothing but words: the text passes as it comes (L4). */
export const plainFormat: OutputFormat = {
  name: "plain",
  createReader: () => ({ push: (delta) => (delta === "" ? [] : [{ type: "text", delta }]), end: () => [] }),
}
