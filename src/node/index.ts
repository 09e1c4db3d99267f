export { loadPersona, type Persona, type PersonaOptions } from "./load-persona.ts"
export { type LoadProfileOptions, loadProfile } from "./load-profile.ts"
