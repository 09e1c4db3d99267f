import { PromptStrataError } from "./errors.ts"
import { didYouMean } from "./suggest.ts"

/** Throws `usage` for an option that is no key of `known`, which would be ignored. One that is `undefined` counts as absent. */
export function checkOptions(of: string, given: object, known: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue
    const message = `${of} has no option ${JSON.stringify(name)}.${nearName(name, Object.keys(known))}`
    throw new PromptStrataError("usage", message, { evidence: { name } })
  }
}

/** ` Did you mean "x"?`, also where only the beginning of a name was written, or ` Expected one of x, y.` */
export function nearName(name: string, known: readonly string[]): string {
  const whole = known.find((each) => each.toLowerCase().startsWith(name.toLowerCase()))
  const near = whole === undefined ? didYouMean(name, known) : ` Did you mean ${JSON.stringify(whole)}?`
  return near || ` Expected one of ${known.join(", ")}.`
}
