import { defaultModel } from "./choose-model.ts"

/** Stands below the commands. */
export const programHelp = `
Model, from the environment or the profile:
  OPENAI_API_KEY      key of OpenAI or of any compatible server
  OPENAI_BASE_URL     that server, such as http://localhost:11434/v1; a local one needs no key
  PROMPTSTRATA_MODEL  the model's name; default: the profile's, else ${defaultModel} at OpenAI
  With neither a key nor a server an offline demo answers by rule; PROMPTSTRATA_MODEL=demo asks for it.

Store, where chats are remembered: --store, else PROMPTSTRATA_STORE, else a file in the data folder. --no-store, or
PROMPTSTRATA_STORE=none, keeps nothing.

Language: --locale, else the profile's, else LC_ALL, LC_MESSAGES or LANG (zh* is zh-CN, all else en).
Colours: NO_COLOR turns them off, FORCE_COLOR on; by default only a terminal gets them.

Exit codes:
  0    all went well
  1    a turn failed, or a file has a mistake
  2    wrong usage
  130  interrupted with Ctrl-C

Examples:
  promptstrata chat                          talk to Fay
  promptstrata chat --once "帮我算 17*23"    one question, one answer
  promptstrata chat ./bots/mine.toml         your own profile
  promptstrata render fay --sections         the prompt, and where each part of it comes from
  promptstrata init luna                     a character of your own, in a new folder
  promptstrata lint                          mistakes in ./profiles and ./prompts
  promptstrata mcp list --profile mine       the tools of its MCP servers
  promptstrata memory list                   what is remembered`

/** Stands below the options of `chat`. */
export const chatHelp = `
At a terminal it is a conversation. Piped input is asked line by line, in one conversation, blank lines skipped.
The answer goes to stdout; prestarts, tool runs, warnings and prompts stand beside it on a terminal and go to stderr
when stdout is a pipe.

Ctrl-C stops the answer that is coming; pressed again, or at the prompt, it leaves. Ctrl-D leaves too.

--json prints one event per line: turn-start, prestart-start, prestart-end, step-start, thinking-delta, text-delta,
step-end, tool-start, tool-progress, tool-end, confirm-start, confirm-end, emotion, output-event, empty-reply, bubble,
warning, commit, turn-end; prompt with --show prompt; error when no turn could begin.

Examples:
  promptstrata chat --once "现在几点？"
  echo "What time is it in Tokyo?" | promptstrata chat --json
  promptstrata chat --show prompt --show trace`

/** Stands below the options of `render`. */
export const renderHelp = `
Examples:
  promptstrata render fay --question "今天天气怎么样？" > prompt.txt
  promptstrata render fay --prompt final --sections
  promptstrata render fay --json | jq .tokens`

/** Stands below the options of `lint`. */
export const lintHelp = `
Errors keep a file from loading or from doing what it says; warnings are advice. The exit code is 1 where there is an
error, with --strict also where there is a warning. The files that come with promptstrata are never changed.

Examples:
  promptstrata lint                              every profile in ./profiles and the prompts beside them
  promptstrata lint luna --fix                   one profile; white space and hidden characters mended
  promptstrata lint --format json | jq .problems
  promptstrata lint --list-rules`

/** Stands below the options of `init`. */
export const initHelp = `
At a terminal it asks for what is not given; elsewhere the folder's name and the environment's language are taken.
Nothing is overwritten: the folder must be new, or hold none of the files.

Examples:
  promptstrata init luna
  promptstrata init bots/xiaoyue --name 小月 --locale zh-CN`

/** Stands below the options of `schema`. */
export const schemaHelp = `
Write it beside your profiles, and name it in a comment on a profile's first line:
  promptstrata schema > profiles/profile.schema.json
  #:schema ./profile.schema.json`

/** Stands below the options of `undo`. */
export const undoHelp = `
Examples:
  promptstrata undo              the last change
  promptstrata undo MEMORY.md    the last change of that file
  promptstrata undo --list       what can be taken back
  promptstrata undo --id 12      change 12, and what was done to its file after it`

/** Stands below the options of `events`. */
export const eventsHelp = `
Examples:
  promptstrata events                         what 青蓝 remembers
  promptstrata events ./bots/mine.toml --grain day
  promptstrata events root --from export.jsonl --json`

/** Stands below the commands of `mcp`. */
export const mcpHelp = `
A profile names its servers in tables [mcp.servers.NAME]; their tools are called NAME.tool. A tool whose definition has
changed since it was approved cannot be used until it is approved again.

Examples:
  promptstrata mcp list --profile ./bots/mine.toml
  promptstrata mcp call files.read_text_file '{"path": "notes.txt"}' --profile ./bots/mine.toml
  promptstrata mcp approve --profile ./bots/mine.toml`
