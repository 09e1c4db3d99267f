import { dirname, resolve } from "node:path"
import { didYouMean } from "../core/suggest.ts"
import type { Skill } from "../layers/skills.ts"
import type { Plugin } from "../services/plugin.ts"
import { noteFile, noteFolders } from "./file-log.ts"
import { promptsFolderOf } from "./find-text.ts"
import { nearestWith } from "./profile-chain.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileSearch, report } from "./profile-search.ts"
import type { ProfileDocument } from "./read-profile-file.ts"
import { skillCandidates } from "./skills/find-skills.ts"
import { collectSkills, withDistinctPaths } from "./skills/load-skills.ts"
import { printProblem, type SkillProblem } from "./skills/skill-problem.ts"

/** A skill that a profile names: what the loader is given, and the key it stands at. */
interface SkillReference {
  readonly reference: string
  readonly document: ProfileDocument
  readonly path: readonly PropertyKey[]
}

/** Where a profile's skills come from. */
interface SkilledParts {
  readonly skills: readonly Skill[]
  readonly plugins: readonly Plugin[]
}

/** Loads what `[skills]` names and reports what cannot be loaded (L5). `folder` is the user's prompts folder. */
export function loadProfileSkills(search: ProfileSearch, folder: string | undefined): readonly Skill[] {
  const named = referencesAt(search, "enabled")
  const inFolders = referencesAt(search, "folders")
  const [first] = named
  const promptFolders = [...(folder === undefined ? [] : [folder]), ...(first ? [promptsFolderOf(first.document.path)] : [])]
  const places = { locale: search.locale, promptFolders, folder: first ? dirname(first.document.path) : process.cwd() }
  for (const { reference } of named) for (const path of skillCandidates(reference, places)) noteFile(path)
  for (const { reference } of inFolders) noteFolders(reference)
  const references = [...named, ...inFolders]
  const { skills, problems } = collectSkills(
    references.map(({ reference }) => reference),
    places,
  )
  for (const problem of problems.filter(({ severity }) => severity === "error")) reportSkill(search, problem, references)
  return skills
}

/** Skills in the modes that `[skills.modes]` gives them, also those of plugins; a mode for a skill that is not there is reported. */
export function withModes(search: ProfileSearch, file: ProfileFile, { skills, plugins }: SkilledParts): SkilledParts {
  const modes = file.skills?.modes ?? {}
  const known = [...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])].map(({ name }) => name)
  for (const document of search.chain) {
    for (const name of Object.keys(document.data.skills?.modes ?? {})) {
      if (known.includes(name)) continue
      const list = known.length === 0 ? "none is loaded" : `loaded are ${known.slice(0, 20).join(", ")}`
      const message = `expected the name of a skill that is loaded, found ${JSON.stringify(name)}; ${list}.${didYouMean(name, known)}`
      report(search, { document, path: ["skills", "modes", name] }, { message })
    }
  }
  const inPlugins = new Map(plugins.flatMap((plugin) => (plugin.skills ?? []).map((skill) => [skill.name, { skill, plugin }])))
  const own = skills.filter((skill) => !isCopyOfPlugins(search, skill, inPlugins.get(skill.name)))
  const modeOf = ({ name, mode }: Skill) => (Object.hasOwn(modes, name) ? (modes[name] ?? mode) : mode)
  const inMode = (skill: Skill): Skill => ({ ...skill, mode: modeOf(skill) })
  const taken = new Set<string>()
  const finished = (some: readonly Skill[]) => withDistinctPaths(some.map(inMode), taken)
  return {
    skills: finished(own),
    plugins: plugins.map((plugin) => (plugin.skills ? { ...plugin, skills: finished(plugin.skills) } : plugin)),
  }
}

/** A skill that a plugin brings too is taken once, and refused where the two are not the same. */
function isCopyOfPlugins(
  search: ProfileSearch,
  skill: Skill,
  other: { readonly skill: Skill; readonly plugin: Plugin } | undefined,
): boolean {
  if (other === undefined || skill.content.text === other.skill.content.text) return other !== undefined
  const document = nearestWith(search.chain, "plugins", "enabled")
  const message = `expected every skill to have a name of its own, found ${JSON.stringify(skill.name)} in the plugin ${JSON.stringify(other.plugin.name)} and in ${skill.source.file}.`
  if (document) report(search, { document, path: ["plugins", "enabled"] }, { message })
  return true
}

function referencesAt({ chain }: ProfileSearch, key: "enabled" | "folders"): SkillReference[] {
  const document = nearestWith(chain, "skills", key)
  if (document === undefined) return []
  return (document.data.skills?.[key] ?? []).map((value, at) => ({
    reference: key === "folders" ? resolve(dirname(document.path), value) : value,
    document,
    path: ["skills", key, at],
  }))
}

function reportSkill(search: ProfileSearch, problem: SkillProblem, references: readonly SkillReference[]): void {
  const at = references.find(({ reference }) => reference === problem.reference) ?? references[0]
  if (at === undefined) return
  const [message = "", ...lines] = printProblem(problem).split("\n")
  report(search, at, { message, ...(lines.length > 0 ? { note: lines.join("\n") } : {}) })
}
