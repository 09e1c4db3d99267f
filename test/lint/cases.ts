import { near } from "../support/error-formulas.ts"
import { cleanProject, type ProjectFiles } from "./lint-folder.ts"

/** A project with one mistake, and the problems that the rule reports. */
export interface LintCase {
  readonly name: string
  readonly rule: string
  readonly files: ProjectFiles
  readonly found: readonly string[]
}

const planner = [
  "${role(system)}",
  "${persona}",
  "${tools}",
  "${messages(history)}",
  "${role(user)}",
  "${rest}",
  "${question}",
  "${messages(steps)}",
  "",
].join("\n")

const profile = (more: string) => ({ "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}${more}` })
const persona = (text: string) => ({ "prompts/characters/en/luna.md": `${cleanProject["prompts/characters/en/luna.md"]}${text}` })
const prompt = (text: string, path = "layered/en/planner") => ({ [`prompts/${path}.md`]: text })
const replaced = (from: string, to: string) => prompt(planner.replace(from, to))

/** At least one case for each rule. The rest of the project has no mistake. */
export const lintCases: readonly LintCase[] = [
  {
    name: "a profile with two mistakes",
    rule: "profile",
    files: profile("[loop]\nmax_step = 3\nmode = 'jsn'\n"),
    found: [
      `profiles/luna.toml:7:1 error profile: unknown key loop.max_step.${near("max_steps")}`,
      `profiles/luna.toml:8:1 error profile: loop.mode: expected "json", "native", "chat" or "auto", found "jsn".${near("json")}`,
    ],
  },
  {
    name: "a broken profile beside a broken prompt",
    rule: "template-syntax",
    files: { "profiles/luna.toml": "[prompt\n", ...prompt("${") },
    found: ["prompts/layered/en/planner.md:1:1 error template-syntax: expected a } for this ${, found the end of the file."],
  },
  {
    name: "neither a language nor a name",
    rule: "guessed",
    files: { "profiles/luna.toml": '[prompt]\npersona = "./pet.md"\n', "profiles/pet.md": "You are kind.\n" },
    found: [
      'profiles/luna.toml:1:1 warning guessed: expected locale = "en" or locale = "zh-CN", found none: the language depends on where the profile is used.',
      'profiles/luna.toml:1:1 warning guessed: The agent is called "luna" after its profile\'s file, because nothing names it. Write name = … into [agent] of the profile, or into the front matter of the persona.',
    ],
  },
  {
    name: "a table that stands twice",
    rule: "duplicate-key",
    files: profile('[prompt]\ndialect = "fay"\n'),
    found: ["profiles/luna.toml:6:2 error duplicate-key: expected each key and table once, found this a second time."],
  },
  {
    name: "a key of front matter that stands twice",
    rule: "duplicate-key",
    files: prompt("---\nomit: [note]\nomit: [fault]\n---\n${content}\n", "layered/en/rest"),
    found: ["prompts/layered/en/rest.md:3:1 error duplicate-key: expected YAML: Map keys must be unique"],
  },
  {
    name: "front matter that is no YAML",
    rule: "front-matter",
    files: prompt("---\nomit: [note\n---\n${content}\n", "layered/en/rest"),
    found: [
      "prompts/layered/en/rest.md:2:12 error front-matter: expected YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
  },
  {
    name: "front matter of the wrong kind, key by key",
    rule: "front-matter-keys",
    files: prompt("---\nseparator: comm\nomit: note\nomitt: [x]\n---\n${content}\n", "layered/en/rest"),
    found: [
      `prompts/layered/en/rest.md:2:1 error front-matter-keys: expected separator to be one of newline, blank-line, comma, found "comm".${near("comma")}`,
      'prompts/layered/en/rest.md:3:1 error front-matter-keys: expected omit to be a list of names such as [tools, note], found "note".',
      `prompts/layered/en/rest.md:4:1 error front-matter-keys: expected only omit, optional, separator in the front matter, found omitt.${near("omit")}`,
    ],
  },
  {
    name: "a tool's words with a key that nothing reads",
    rule: "front-matter-keys",
    files: prompt("---\ndescription: Tells the time\nusage_hin: often\n---\n${date}\n", "tools/en/current_time"),
    found: [
      `prompts/tools/en/current_time.md:3:1 error front-matter-keys: expected only description, usage_hint, parameters in the front matter, found usage_hin.${near("usage_hint")}`,
    ],
  },
  {
    name: "a format whose parser nobody brings",
    rule: "format-parser",
    files: { ...profile('format = "face"\n'), "prompts/formats/en/face.md": "---\nparser: emotion_pip\n---\nwords\n" },
    found: [
      `prompts/formats/en/face.md:2:1 warning format-parser: expected a parser (emotion_bracket, emotion_pipe, plain), found "emotion_pip".${near("emotion_pipe")}`,
    ],
  },
  {
    name: "a format without a parser",
    rule: "format-parser",
    files: { ...profile('format = "face"\n'), "prompts/formats/en/face.md": "Write *stars*.\n" },
    found: [
      "prompts/formats/en/face.md:1:1 warning format-parser: expected a parser (emotion_bracket, emotion_pipe, plain) in the front matter, found none: answers are shown as they come.",
    ],
  },
  {
    name: "a file that is no UTF-8",
    rule: "unreadable-file",
    files: { "prompts/layered/en/rest.md": Uint8Array.of(0x61, 0xff) },
    found: [
      "prompts/layered/en/rest.md:1:2 error unreadable-file: expected UTF-8 text, found the byte 0xff, which is part of no character.",
    ],
  },
  {
    name: "several mistakes in one template",
    rule: "template-syntax",
    files: prompt(`${planner}\${a? \${b | nope} : \${c | fenc}}\n\${rol(user)}\n\${open`),
    found: [
      'prompts/layered/en/planner.md:9:12 error template-syntax: expected an encoder (lines, inline, tail, fence, indent, transcript, speaker), found "nope".',
      `prompts/layered/en/planner.md:9:26 error template-syntax: expected an encoder (lines, inline, tail, fence, indent, transcript, speaker), found "fenc".${near("fence")}`,
      `prompts/layered/en/planner.md:10:1 error template-syntax: expected one of file_load, messages, role before (, found rol.${near("role")}`,
      "prompts/layered/en/planner.md:11:1 error template-syntax: expected a } for this ${, found the end of the file.",
    ],
  },
  {
    name: "a file_load that finds nothing",
    rule: "file-load",
    files: replaced("${tools}", "${tools}\n${file_load(gone.md)}"),
    found: [
      'prompts/layered/en/planner.md:4:1 error file-load: cannot load "gone.md": expected a prompt file of that path, found none.',
    ],
  },
  {
    name: "a prompt without a rest slot",
    rule: "rest-slot",
    files: replaced("${rest}\n", ""),
    found: ["prompts/layered/en/planner.md:1:1 error rest-slot: expected a ${rest} slot in a prompt file, found none."],
  },
  {
    name: "a skill beyond the standard",
    rule: "skill",
    files: { "prompts/skills/Sewing/SKILL.md": `---\nname: Sewing\ndescription: ${"x".repeat(1025)}\n---\nThread.\n` },
    found: [
      'prompts/skills/Sewing/SKILL.md:2:1 warning skill: name: expected lowercase letters, digits and single hyphens, found "Sewing".',
      "prompts/skills/Sewing/SKILL.md:3:1 warning skill: description: expected at most 1024 characters, found 1025.",
    ],
  },
  {
    name: "an imported card with an entry that never enters",
    rule: "card",
    files: {
      "profiles/mei.toml": 'locale = "en"\n[prompt]\npersona = "characters/mei/card.parts.json"\n',
      "prompts/characters/mei/card.parts.json": '{ "name": "Mei" }',
      "prompts/characters/mei/description.md": "Calm. {{getvar::x}} \n",
      "prompts/characters/mei/lore/001.md": "---\nkeys: []\n---\nNever.\n",
    },
    found: [
      "prompts/characters/mei/description.md:1:1 warning card: description: the macro {{getvar::x}} is not known; the model reads it as it stands.",
      "prompts/characters/mei/lore/001.md:1:1 warning card: entries[0]: the entry has no key, so it never enters.",
    ],
  },
  {
    name: "a card whose picture is not shown, and an emotion without one",
    rule: "sprite",
    files: {
      "profiles/mei.toml": 'locale = "en"\n[prompt]\npersona = "characters/mei/card.parts.json"\nformat = "../format.md"\n',
      "format.md": "---\nparser: emotion_bracket\nemotions: [joy, anger]\n---\nBegin with [EMOTION].\n",
      "prompts/characters/mei/card.parts.json": JSON.stringify({
        spec: "chara_card_v3",
        data: {
          name: "Mei",
          assets: [
            { type: "emotion", name: "joy", uri: "data:image/gif;base64,R0lGODlh", ext: "gif" },
            { type: "emotion", name: "sad", uri: "https://example.com/sad.png", ext: "png" },
          ],
        },
      }),
    },
    found: [
      'profiles/mei.toml:1:1 warning sprite: The picture "sad: https://example.com/sad.png" is not shown: it stands at an address, and nothing is fetched.',
      'profiles/mei.toml:1:1 warning sprite: The emotion "anger" has no picture; the neutral one, or the portrait, is shown.',
    ],
  },
  {
    name: "slots that nothing fills, one of them a typo, one declared, one a variable",
    rule: "unknown-slot",
    files: {
      ...profile('[variables]\nmood = "sunny"\n'),
      ...prompt(`---\noptional: [weather]\n---\n${planner}\${memorys} \${hobby} \${weather} \${mood}\n`),
    },
    found: [
      `prompts/layered/en/planner.md:12:1 warning unknown-slot: nothing fills \${memorys}.${near("memories")}`,
      "prompts/layered/en/planner.md:12:12 warning unknown-slot: nothing fills ${hobby}.",
    ],
  },
  {
    name: "a typo of one letter in an entry file",
    rule: "unknown-slot",
    files: prompt("${speakr}: ${text}\n", "layered/en/question"),
    found: [`prompts/layered/en/question.md:1:1 error unknown-slot: nothing fills \${speakr}.${near("speaker")}`],
  },
  {
    name: "a planner without the tools and what came of them",
    rule: "missing-slot",
    files: prompt("${role(user)}\n${persona} ${history} ${rest} ${question}\n"),
    found: [
      "prompts/layered/en/planner.md:1:1 warning missing-slot: expected a slot ${tools} in a planner prompt, found none.",
      "prompts/layered/en/planner.md:1:1 warning missing-slot: expected a slot ${runs} or ${steps} in a planner prompt, found none.",
    ],
  },
  {
    name: "a prompt without slots beside a standing slot that prints keys",
    rule: "missing-slot",
    files: {
      ...prompt("${role(user)}\n${rest} ${question}\n"),
      ...prompt("## ${key}\n${content}\n", "layered/en/standing"),
      ...prompt("${content}\n", "layered/en/rest"),
    },
    found: [],
  },
  {
    name: "a dialect of one's own without the prompts and the lists of a turn",
    rule: "missing-file",
    files: {
      "profiles/luna.toml": 'locale = "en"\n[prompt]\nfolder = "../prompts"\npersona = "luna"\ndialect = "mine"\n',
      ...prompt(planner, "mine/en/planner"),
      ...prompt("${text}\n", "mine/en/history"),
    },
    found: [
      'profiles/luna.toml:5:1 error missing-file: expected a prompt final.md in dialect mine, which a turn with loop.mode = "json" prints, found none.',
      "prompts/mine/en/planner.md:3:1 error missing-file: expected a file tools.md in dialect mine to print the entries of ${tools}, found none.",
      "prompts/mine/en/planner.md:7:1 error missing-file: expected a file question.md in dialect mine to print the entries of ${question}, found none.",
      "prompts/mine/en/planner.md:8:1 error missing-file: expected a file steps.md in dialect mine to print the entries of ${steps}, found none.",
    ],
  },
  {
    name: "a variable without a slot and a flag nobody asks for",
    rule: "unused-variable",
    files: profile('[variables]\nmood = "sunny"\nsummer = true\n'),
    found: [
      "profiles/luna.toml:7:1 warning unused-variable: no slot of dialect layered names mood, so it is printed at ${rest}.",
      "profiles/luna.toml:8:1 warning unused-variable: no condition of dialect layered asks for the flag summer, so it does nothing.",
    ],
  },
  {
    name: "a persona no profile names, an entry file of no slot, a stray file",
    rule: "dead-file",
    files: {
      "prompts/characters/en/sol.md": cleanProject["prompts/characters/en/luna.md"] ?? "",
      ...prompt("${name}\n", "layered/en/foes"),
      "prompts/notes/todo.txt": "later",
    },
    found: [
      "prompts/characters/en/sol.md:1:1 warning dead-file: no profile uses this persona.",
      "prompts/layered/en/foes.md:1:1 warning dead-file: no slot ${foes} of dialect layered prints its entries through this file.",
      "prompts/notes/todo.txt:1:1 warning dead-file: no part of promptstrata looks for this file, and no ${file_load(…)} loads it.",
    ],
  },
  {
    name: "a dialect's files that no profile lays over",
    rule: "dead-file",
    files: { "profiles/luna.toml": 'locale = "en"\n[prompt]\npersona = "luna"\n', ...prompt(planner) },
    found: ["prompts/layered/en/planner.md:1:1 warning dead-file: no profile uses this prompts folder."],
  },
  {
    name: "what changes every turn before what stays",
    rule: "cache-order",
    files: replaced("${persona}", "${memories}\n${persona}"),
    found: [
      "prompts/layered/en/planner.md:2:1 warning cache-order: expected ${memories} after what stays the same in a system message, found it before.",
    ],
  },
  {
    name: "a date in a persona, a time in a variable, an id in a prompt; but not a birthday",
    rule: "volatile-value",
    files: {
      ...persona("Today is Monday.\nYou were born on 2001-05-04.\n"),
      ...profile('[variables]\nrest_note = "2026-11-22"\n'),
      ...replaced("${tools}", "${tools}\nSession 0f8fad5b-d9cb-469f-a165-70867728950e\nBuilt on 2026/11/22."),
    },
    found: [
      "profiles/luna.toml:7:1 warning volatile-value: expected text that stays the same, found a date.",
      "prompts/characters/en/luna.md:5:1 warning volatile-value: expected text that stays the same, found today's date or the time.",
      "prompts/layered/en/planner.md:4:9 warning volatile-value: expected text that stays the same, found a random id.",
      "prompts/layered/en/planner.md:5:10 warning volatile-value: expected text that stays the same, found a date.",
    ],
  },
  {
    name: "a persona with a line of the dialect's own",
    rule: "marker-lines",
    files: persona("[Memory context]\nYou collect shells.\n"),
    found: [
      "prompts/characters/en/luna.md:5:1 warning marker-lines: this line reads as one of dialect layered's own: the text after it looks like another section.",
    ],
  },
  {
    name: "a persona beside its profile, and a skill in a folder of its own",
    rule: "volatile-value",
    files: {
      "profiles/luna.toml": 'locale = "en"\n[prompt]\npersona = "./luna.md"\n[skills]\nfolders = ["../skills"]\n',
      "profiles/luna.md": "Today is Monday.\n",
      "skills/sewing/SKILL.md": "---\nname: sewing\ndescription: How to sew\nmode: inline\n---\nToday is Monday.\n",
      // Its text is not in the prompt.
      "skills/baking/SKILL.md": "---\nname: baking\ndescription: How to bake\n---\nToday is Monday.\n",
    },
    found: [
      "profiles/luna.md:1:1 warning volatile-value: expected text that stays the same, found today's date or the time.",
      "skills/sewing/SKILL.md:6:1 warning volatile-value: expected text that stays the same, found today's date or the time.",
    ],
  },
  {
    name: "hidden characters, and none in an emoji of several",
    rule: "invisible-characters",
    files: persona("a\u{200b}b \u{202e}c \u{e0041} 👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿\n"),
    found: [
      "prompts/characters/en/luna.md:5:2 warning invisible-characters: expected characters one can see, found characters of no width: U+200B.",
      "prompts/characters/en/luna.md:5:5 error invisible-characters: expected characters one can see, found characters that turn the direction of writing: U+202E.",
      "prompts/characters/en/luna.md:5:8 error invisible-characters: expected characters one can see, found tag characters, which only a model reads: U+E0041.",
    ],
  },
  {
    name: "white space at the ends of lines, but not two spaces, and line breaks",
    rule: "white-space",
    files: persona("one \ntwo  \nthree\t\r\n"),
    found: [
      "prompts/characters/en/luna.md:1:1 warning white-space: expected lines to end in \\n, found 1 ending in \\r\\n or \\r.",
      "prompts/characters/en/luna.md:5:4 warning white-space: expected no white space at the end of a line.",
      "prompts/characters/en/luna.md:7:6 warning white-space: expected no white space at the end of a line.",
    ],
  },
  {
    name: "locales that have not the same files and slots",
    rule: "locale-twins",
    files: {
      ...prompt("${speaker}: ${text}\n", "layered/en/question"),
      ...prompt("${text}\n", "layered/zh-CN/question"),
      ...prompt("${content}\n", "layered/zh-CN/rest"),
    },
    found: [
      "prompts/layered/en/question.md:1:1 warning locale-twins: ${speaker} stands here but not in prompts/layered/zh-CN/question.md.",
      "prompts/layered/zh-CN/rest.md:1:1 warning locale-twins: expected layered/en to have a file rest as layered/zh-CN has, found none.",
    ],
  },
  {
    name: "a skill of 501 lines",
    rule: "skill-size",
    files: {
      "prompts/skills/sewing/SKILL.md": `---\nname: sewing\ndescription: How to sew\n---\n${"a\n".repeat(501)}`,
    },
    found: [
      "prompts/skills/sewing/SKILL.md:5:1 warning skill-size: expected at most 500 lines and 5000 tokens of instructions, found 501 lines.",
    ],
  },
  {
    name: "a Chinese persona of more than 200 characters (T37)",
    rule: "persona-length",
    files: { "prompts/characters/en/luna.md": `你叫露娜，性格温柔，说话简短，称呼用户为朋友。${"很".repeat(180)}\n` },
    found: ["prompts/characters/en/luna.md:1:1 warning persona-length: expected a persona of at most 200 characters, found 203."],
  },
  {
    name: "a persona that is nobody (T37)",
    rule: "persona-traits",
    files: { "prompts/characters/en/luna.md": "A helpful assistant.\n" },
    found: [
      "prompts/characters/en/luna.md:1:1 warning persona-traits: expected a persona to have a name, found none.",
      "prompts/characters/en/luna.md:1:1 warning persona-traits: expected a persona to have a personality (what the character is like), found none.",
      "prompts/characters/en/luna.md:1:1 warning persona-traits: expected a persona to have a tone (how it speaks), found none.",
      "prompts/characters/en/luna.md:1:1 warning persona-traits: expected a persona to have a form of address (what it calls the user), found none.",
    ],
  },
  {
    name: "a plugin's tool that says too little of itself (T37)",
    rule: "tool-text",
    files: {
      ...profile('[plugins]\nenabled = ["./dice.mjs"]\n'),
      "profiles/dice.mjs": `export const plugin = { name: "dice", tools: [{ name: "roll", description: " ", execute: () => 4,
        jsonSchema: { type: "object", properties: { sides: { type: "integer" }, colour: { description: "of the dice" }, count: { type: "integer", default: 1 } } } }] }\n`,
    },
    found: [
      "profiles/luna.toml:1:1 warning tool-text: tool roll: expected a description, found none.",
      "profiles/luna.toml:1:1 warning tool-text: tool roll: expected parameter sides to have a description or an example, found none.",
      "profiles/luna.toml:1:1 warning tool-text: tool roll: expected parameter colour to have a type, found none.",
    ],
  },
  {
    name: "prestart and hidden tools that nothing brings",
    rule: "unknown-tool",
    files: profile('[tools]\nenabled = ["current_time"]\nprestart_only = ["wether"]\n[[prestart]]\ntool = "curent_time"\n'),
    found: [
      'profiles/luna.toml:8:18 error unknown-tool: the profile brings no tool "wether".',
      `profiles/luna.toml:10:1 error unknown-tool: the profile brings no tool "curent_time".${near("current_time")}`,
    ],
  },
  {
    name: "tools and groups of a process that nothing brings",
    rule: "unknown-tool",
    files: profile(
      '[tools]\nenabled = ["calculate"]\n[processes.a]\ntools = ["calculat"]\n[processes.b]\ngroups = ["device"]\n[processes.c]\nenabled = false\ntools = ["x"]\n',
    ),
    found: [
      `profiles/luna.toml:9:10 error unknown-tool: the profile brings no tool "calculat".${near("calculate")}`,
      'profiles/luna.toml:11:1 warning unknown-tool: the process "b" takes the tools of the group device, of which the profile brings none.',
    ],
  },
  {
    name: "none, where a plugin adds the tools and groups of a process",
    rule: "unknown-tool",
    files: profile('[events]\n[processes.a]\ntools = ["record_event"]\n[processes.b]\ngroups = ["context"]\n'),
    found: [],
  },
  {
    name: "an inherited prestart tool that the profile's own list leaves out",
    rule: "unknown-tool",
    files: {
      "profiles/luna.toml": 'extends = "layered"\nlocale = "en"\n[prompt]\npersona = "luna"\n[tools]\nenabled = ["calculate"]\n',
    },
    found: [
      'profiles/luna.toml:6:1 error unknown-tool: the profile brings no tool "current_time", which it inherits in prestart from profiles/fay.toml.',
    ],
  },
  {
    name: "none, where the profile inherits no prestart or brings the tool",
    rule: "unknown-tool",
    files: {
      "profiles/luna.toml":
        'extends = "layered"\nlocale = "en"\nprestart = []\n[prompt]\npersona = "luna"\n[tools]\nenabled = ["calculate"]\n',
    },
    found: [],
  },
  {
    name: "a world book and a plan of the profile's own, wherever they lie",
    rule: "dead-file",
    files: {
      ...profile(
        '[plugins]\nenabled = ["character"]\n[plugins.options.character]\nworld_book = "../prompts/worlds"\nreaction_plan = "../prompts/plans/en/plan.md"\n',
      ),
      "prompts/worlds/en/town.md": "---\nalways: true\n---\nA town.\n",
      "prompts/worlds/sea.md": "---\nalways: true\n---\nA sea.\n",
      "prompts/plans/en/plan.md": "If greeted, wave.\n",
      "prompts/plans/en/old.txt": "If greeted, wave.\n",
    },
    found: [
      "prompts/plans/en/old.txt:1:1 warning dead-file: no part of promptstrata looks for this file, and no ${file_load(…)} loads it.",
    ],
  },
  {
    name: "a world book of the profile's own among the prompts is no prompt",
    rule: "rest-slot",
    files: {
      ...profile('[plugins]\nenabled = ["character"]\n[plugins.options.character]\nworld_book = "../prompts/worlds"\n'),
      "prompts/worlds/en/chat.md": "---\nalways: true\n---\nA ${town.\n",
    },
    found: [],
  },
  {
    name: "a character card for a persona",
    rule: "persona-form",
    files: {
      "prompts/characters/en/luna.md":
        '{"spec": "chara_card_v2", "data": {"name": "Luna", "description": "{{char}} is kind."}}\n',
    },
    found: ["prompts/characters/en/luna.md:1:1 warning persona-form: expected words about the character, found JSON."],
  },
  {
    name: "macros of cards, but neither this library's slots nor a brace in words",
    rule: "persona-form",
    files: persona("{{user}} calls {{char}}.\nShe says {{random:hi,hello}} and {a}, ${b} or {{ }}.\n"),
    found: [
      "prompts/characters/en/luna.md:5:1 warning persona-form: expected words, found the macro {{user}}: nothing fills it in, the model reads it as it stands.",
      "prompts/characters/en/luna.md:6:10 warning persona-form: expected words, found the macro {{random:hi,hello}}: nothing fills it in, the model reads it as it stands.",
    ],
  },
  {
    name: "a skill without the tools it needs, and one that names those of other agents",
    rule: "unknown-tool",
    files: {
      ...profile('[skills]\nenabled = ["diary"]\nfolders = ["../skills"]\n[tools]\nenabled = ["read", "list"]\n'),
      "skills/git/SKILL.md": "---\nname: git\ndescription: Commits\nallowed-tools: Read Bash(git:*)\n---\nCommit.\n",
    },
    found: [
      'profiles/luna.toml:6:2 warning unknown-tool: the skill "diary" needs the tools write, edit, which the profile does not bring.',
    ],
  },
  {
    name: "a list of plugins with memory beside a memory that is off",
    rule: "memory-plugin",
    files: profile('[plugins]\nenabled = ["memory"]\n[memory]\nenabled = false\n'),
    found: [
      'profiles/luna.toml:7:1 warning memory-plugin: expected one answer to whether the agent remembers, found memory.enabled = false in profiles/luna.toml and a list of plugins with "memory": memory.enabled counts.',
    ],
  },
  {
    name: "a list of plugins without memory below an inherited memory that is on",
    rule: "memory-plugin",
    files: {
      ...profile("[plugins]\nenabled = []\n"),
      "profiles/luna.toml": 'extends = "./base.toml"\n[plugins]\nenabled = []\n',
      "profiles/base.toml": 'locale = "en"\n[prompt]\npersona = "luna"\n[memory]\nenabled = true\n',
    },
    found: [
      'profiles/luna.toml:3:1 warning memory-plugin: expected one answer to whether the agent remembers, found memory.enabled = true in profiles/base.toml and a list of plugins without "memory": memory.enabled counts.',
    ],
  },
  {
    name: "none, where a profile switches off what it inherits, says the same twice, or keeps documents",
    rule: "memory-plugin",
    files: {
      "profiles/luna.toml": 'extends = "layered"\nlocale = "en"\n[prompt]\npersona = "luna"\n[memory]\nenabled = false\n',
      "profiles/same.toml": 'extends = "./luna.toml"\n[plugins]\nenabled = ["memory"]\n[memory]\nenabled = true\n',
      "profiles/kept.toml": 'extends = "./luna.toml"\n[plugins]\nenabled = []\n[memory]\nenabled = true\nstore = "documents"\n',
    },
    found: [],
  },
]
