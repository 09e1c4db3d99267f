import { byLocale } from "./by-locale.ts"

/** The words of `init`. */
export type InitWords = Readonly<typeof en>

const en = {
  folder: "Folder for the new character: ",
  name: (proposal: string) => `Name of the character (${proposal}): `,
  created: (count: number, folder: string) => `Created ${count} files in ${folder}:`,
  next: "Next steps:",
  language: "The character speaks English, because nothing names another language. --locale zh-CN makes one that speaks Chinese.",
  install: "needs Node.js 22.13 or newer",
  test: "compares the prompt with test/prompt.md",
  start: "starts a chat",
  build: "once: makes the files of promptstrata that the project imports",
  memory: "The character remembers: its memories are kept in the folder data, and `npx promptstrata memory list` prints them.",
  clone: (dependency: string) =>
    `package.json takes promptstrata from the clone that made it (${dependency}), not from the npm registry. Keep the clone where it is, or change that line.`,
}

const zh: InitWords = {
  folder: "新角色的文件夹：",
  name: (proposal) => `角色的名字（${proposal}）：`,
  created: (count, folder) => `已在 ${folder} 中创建 ${count} 个文件：`,
  next: "接下来：",
  language: "角色说中文。",
  install: "需要 Node.js 22.13 或更新的版本",
  test: "比较提示词与 test/prompt.md",
  start: "开始聊天",
  build: "只需一次：生成项目要导入的 promptstrata 文件",
  memory: "角色有记忆：记忆保存在文件夹 data 中，用 `npx promptstrata memory list` 查看。",
  clone: (dependency) =>
    `package.json 使用创建它的那份 promptstrata 源码（${dependency}），而不是 npm 上的包。请不要移动那份源码，或者改掉这一行。`,
}

/** The words for a locale. */
export const initWords = byLocale({ en, zh })
