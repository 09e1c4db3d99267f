import type { LintRule } from "./rule.ts"
import { cacheOrder } from "./rules/cache-order.ts"
import { deadFile } from "./rules/dead-file.ts"
import { faultRules } from "./rules/faults.ts"
import { formatParser } from "./rules/format-parser.ts"
import { frontMatterKeys } from "./rules/front-matter-keys.ts"
import { invisibleCharacters } from "./rules/invisible-characters.ts"
import { localeTwins } from "./rules/locale-twins.ts"
import { longResults } from "./rules/long-results.ts"
import { markerLines } from "./rules/marker-lines.ts"
import { missingSlot } from "./rules/missing-slot.ts"
import { personaLength } from "./rules/persona-length.ts"
import { personaTraits } from "./rules/persona-traits.ts"
import { skillSize } from "./rules/skill-size.ts"
import { slowPrestart } from "./rules/slow-prestart.ts"
import { toolText } from "./rules/tool-text.ts"
import { unknownSlot } from "./rules/unknown-slot.ts"
import { unknownTool } from "./rules/unknown-tool.ts"
import { unusedVariable } from "./rules/unused-variable.ts"
import { volatileValue } from "./rules/volatile-value.ts"
import { whiteSpace } from "./rules/white-space.ts"

/** Every rule, in the order in which they run. */
export const lintRules: readonly LintRule[] = [
  ...faultRules,
  frontMatterKeys,
  formatParser,
  unknownSlot,
  missingSlot,
  unusedVariable,
  deadFile,
  cacheOrder,
  volatileValue,
  markerLines,
  invisibleCharacters,
  whiteSpace,
  localeTwins,
  skillSize,
  personaLength,
  personaTraits,
  toolText,
  unknownTool,
  slowPrestart,
  longResults,
]
