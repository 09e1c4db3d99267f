import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { secretFinder } from "../../src/core/secrets/find-secrets.ts"
import { dataFolder, dataPresent } from "../support/corpora.ts"

test.skipIf(!dataPresent)(
  "T38 in 5 million characters of ordinary and hostile text only ten beginnings of web tokens are taken for a credential",
  () => {
    const folders = ["injection/", "json/", "tools/", "recall/", "paths/", "formats/", "llm-streams/"]
    const found = folders.flatMap((folder) =>
      readdirSync(dataFolder + folder)
        .filter((file) => /\.(?:jsonl?|txt)$/.test(file))
        .flatMap((file) => {
          const text = readFileSync(dataFolder + folder + file, "utf8")
          return secretFinder([], {})(text).map(([start, end]) => text.slice(start, end))
        }),
    )
    expect(found.filter((text) => !text.startsWith("eyJ"))).toEqual([])
    expect(found).toHaveLength(10)
  },
)
