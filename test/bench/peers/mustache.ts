import type { Contestant } from "./contestant.ts"

/** What is used of it; its own types are there only where they are installed. */
interface Mustache {
  render(template: string, values: object): string
}

/** mustache: a template language alone. It keeps parsed templates by itself. */
export async function mustache(version: string): Promise<Contestant> {
  const { default: engine } = (await import("mustache")) as unknown as { default: Mustache }
  return {
    name: "mustache",
    version,
    makeTemplate:
      ({ mustache: source, values }) =>
      () =>
        engine.render(source, values),
  }
}
