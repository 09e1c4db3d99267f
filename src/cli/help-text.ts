import { defaultModel } from "./choose-model.ts"

/** Stands below the commands. */
export const programHelp = `
Model, from the environment or the profile:
  OPENAI_API_KEY      key of OpenAI or of any compatible server
  OPENAI_BASE_URL     that server, such as http://localhost:11434/v1; a local one needs no key
  PROMPTSTRATA_MODEL  the model's name; default: the profile's, else ${defaultModel} at OpenAI
  With neither a key nor a server an offline demo answers by rule; PROMPTSTRATA_MODEL=demo asks for it.

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
  promptstrata render fay --sections         the prompt, and where each part of it comes from`

/** Stands below the options of `chat`. */
export const chatHelp = `
At a terminal it is a conversation. Piped input is asked line by line, in one conversation, blank lines skipped.
The answer goes to stdout; prestarts, tool runs, warnings and prompts stand beside it on a terminal and go to stderr
when stdout is a pipe.

Ctrl-C stops the answer that is coming; pressed again, or at the prompt, it leaves. Ctrl-D leaves too.

--json prints one event per line: turn-start, prestart-start, prestart-end, step-start, thinking-delta, text-delta,
step-end, tool-start, tool-end, warning, commit, turn-end; prompt with --show prompt; error when no turn could begin.

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
