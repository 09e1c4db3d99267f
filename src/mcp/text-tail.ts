/** The end of a stream of text, as much as is worth keeping. */
export interface TextTail {
  push(chunk: string): void
  read(): string
}

/** Keeps the last `maxCharacters`; work stays in proportion to what is pushed. */
export function createTextTail(maxCharacters: number): TextTail {
  let text = ""
  return {
    push(chunk) {
      text += chunk
      if (text.length > 2 * maxCharacters) text = text.slice(-maxCharacters)
    },
    read: () => text.slice(-maxCharacters),
  }
}
