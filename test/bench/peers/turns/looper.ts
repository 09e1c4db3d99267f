/** Somebody who runs the agent loop. Each turn is a new conversation: one call of a tool, then an answer in {@link deltas}. */
export interface Looper {
  readonly name: string
  readonly version: string
  /** A turn with so many tools to choose from. What comes back is the answer as its streamed text was read. */
  readonly makeTurn: (toolCount: number) => (question: string) => Promise<string>
}

/** The answer in the pieces in which the model streams it. */
export const deltas: readonly string[] = Array.from({ length: 50 }, (_, at) => `word${at} `)

export const instructions = "You are Mira, who knows every road of the island. Look things up before you answer."

export const descriptionOf = (at: number): string => `Looks up what is known of subject ${at}`
export const nameOf = (at: number): string => `tool_${at}`

/** The arguments of the one call, to the first tool. */
export const calledWith = { subject: "the harbour", limit: 3 }

/** Streams the answer's text until its end, as a user's program would. */
export async function readAll(texts: AsyncIterable<string>): Promise<string> {
  let answer = ""
  for await (const text of texts) answer += text
  return answer
}
