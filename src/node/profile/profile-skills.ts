import { dirname } from "node:path"
import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Profile } from "../../profile/profile.ts"
import type { ProfileFile } from "../../profile/profile-file-keys.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import { noteFile, noteFolders } from "../file-log.ts"
import { promptsFolderOf } from "../find-text.ts"
import { skillCandidates } from "../skills/find-skills.ts"
import { readSkills, withDistinctPaths } from "../skills/load-skills.ts"
import { printProblem, type SkillProblem } from "../skills/skill-problem.ts"
import { absolutePath, nearestSetting, type ProfileSearch, report } from "./profile-chain.ts"

/** The skills of a profile, also those of its plugins. */
export type SkilledParts = Pick<Profile, "skills" | "plugins">

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
  const { skills, problems } = readSkills(
    references.map(({ reference }) => reference),
    places,
  )
  for (const problem of problems.filter(({ severity }) => severity === "error")) reportSkill(search, problem, references)
  return skills
}

/** The skills, also those of plugins, in the modes that `[skills.modes]` gives them. Reports a mode for a skill that is not loaded. */
export function withModes(search: ProfileSearch, file: ProfileFile, { skills, plugins }: SkilledParts): SkilledParts {
  const modes = file.skills?.modes ?? {}
  const known = [...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])].map(({ name }) => name)
  for (const document of search.chain) {
    for (const name of Object.keys(document.settings.skills?.modes ?? {})) {
      if (known.includes(name)) continue
      const list = known.length === 0 ? "none is loaded" : `loaded are ${known.slice(0, 20).join(", ")}`
      const message = `expected the name of a skill that is loaded, found ${JSON.stringify(name)}; ${list}.${didYouMean(name, known)}`
      report(search, { document, path: ["skills", "modes", name] }, message)
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

/** True for a skill that a plugin brings too: it is taken once. Two different skills of one name are reported. */
function isCopyOfPlugins(search: ProfileSearch, skill: Skill, other: { skill: Skill; plugin: Plugin } | undefined): boolean {
  if (other === undefined || skill.content.text === other.skill.content.text) return other !== undefined
  const setting = nearestSetting(search.chain, "plugins", "enabled")
  const message = `expected every skill to have a name of its own, found ${JSON.stringify(skill.name)} in the plugin ${JSON.stringify(other.plugin.name)} and in ${skill.source.file}.`
  if (setting) report(search, setting, message)
  return true
}

/** The skills that a profile names, each with the name or path that the loader gets, and its place. */
function referencesAt({ chain }: ProfileSearch, key: "enabled" | "folders") {
  const setting = nearestSetting(chain, "skills", key)
  if (setting === undefined) return []
  const { document, path } = setting
  return setting.value.map((value, at) => ({
    reference: key === "folders" ? absolutePath({ document, value }) : value,
    document,
    path: [...path, at],
  }))
}

function reportSkill(search: ProfileSearch, problem: SkillProblem, references: ReturnType<typeof referencesAt>): void {
  const place = references.find(({ reference }) => reference === problem.reference) ?? references[0]
  if (place === undefined) return
  const [message = "", ...lines] = printProblem(problem).split("\n")
  report(search, place, message, lines.length > 0 ? lines.join("\n") : undefined)
}
