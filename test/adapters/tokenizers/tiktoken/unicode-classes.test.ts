import { expect, test } from "vitest"
import { unicodeClassesModule } from "./unicode-source.ts"

test("every code point has the class that tiktoken's regular expressions give it", async () => {
  await expect(unicodeClassesModule()).toMatchFileSnapshot("../../../../src/adapters/tokenizers/tiktoken/unicode-classes.ts")
})
