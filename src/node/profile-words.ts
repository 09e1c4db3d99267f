import type { ProfileInput } from "../profile/profile-input.ts"
import { readWholeText } from "./authored-text.ts"
import { type Persona, readPersona } from "./load-persona.ts"
import { type FormatFile, readFormat } from "./profile-format.ts"
import type { ProfileFile } from "./profile-schema.ts"
import type { ProfileTexts } from "./profile-texts.ts"

/** Everything of a profile that is words. */
export interface ProfileWords {
  readonly input: ProfileInput
  /** The parser of its format. */
  readonly parser: FormatFile["parser"]
}

/** Reads persona, format and system message; what the profile says of names goes before what the persona says. */
export function readProfileWords(file: ProfileFile, texts: ProfileTexts): ProfileWords {
  const persona: Partial<Persona> = texts.persona === undefined ? {} : readPersona(texts.persona)
  const format = texts.format === undefined ? undefined : readFormat(texts.format)
  const agentName = file.agent?.name ?? persona.name
  const userName = file.user?.name ?? persona.userName
  const { finalSystem } = texts
  return {
    input: {
      agent: { ...file.agent, ...(agentName === undefined ? {} : { name: agentName }) },
      user: userName === undefined ? {} : { name: userName },
      ...(persona.text === undefined ? {} : { persona: persona.text }),
      ...(format === undefined ? {} : { format: format.text }),
      final:
        finalSystem === undefined ? {} : { system: readWholeText(finalSystem, { kind: "system message", attributes: [] }).text },
    },
    parser: format?.parser ?? (() => undefined),
  }
}
