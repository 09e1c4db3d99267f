import type { ReflectionService } from "../../../src/memory/services/background/reflection.ts"
import { claim, claimEqual } from "../../../src/testing/conformance/claims.ts"
import {
  keyOf,
  memoryOf,
  type OpenedService,
  type Rules,
  runRules,
  type ServiceCheck,
} from "../../../src/testing/conformance/store/samples.ts"

/** The rules of a reflection service, as tests. Its model may answer sensibly or not at all. */
export function reflectionConformance(open: () => Promise<OpenedService<ReflectionService>>): readonly ServiceCheck[] {
  return runRules<ReflectionService>("reflection", reflectionRules, open)
}

const reflectionRules: Rules<ReflectionService> = {
  async "it is not due where there are no memories (T36)"({ service, agent }) {
    claimEqual(await service.due(keyOf(agent)), false, "whether it is due for a key without memories")
  },
  async "every insight is a text that rests on memories that were given"({ service, agent }) {
    const key = keyOf(agent)
    const memories = ["I like tea", "I drink tea at work", "tea is all I need"].map((text, at) =>
      memoryOf(`m${at}`, key, { text }),
    )
    const insights = await service.reflect(memories, key, { signal: new AbortController().signal })
    const known = new Set(memories.map(({ id }) => id))
    for (const { text, sources = [] } of insights) {
      claim(text.trim() !== "", "an insight with words", text)
      claim(sources.length > 0 && sources.every((id) => known.has(id)), "links to memories that were given", sources)
    }
  },
}
