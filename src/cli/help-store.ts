/** Stands below the commands of `memory`. */
export const memoryHelp = `
The embedded store lies in <data-dir>/.promptstrata/store.sqlite. At the terminal the user is called user, and the
conversation terminal.

Examples:
  promptstrata memory list
  promptstrata memory search "what do I like to drink?"
  promptstrata memory receipts --user tg:4711
  promptstrata memory forget --user tg:4711
  promptstrata memory export --out backup.jsonl
  promptstrata memory import backup.jsonl --data-dir ./elsewhere`

/** Stands below the options of `doctor`. */
export const doctorHelp = `
The exit code is 1 where something is wrong with the store or a job failed for good. Each finding says what to do.

Examples:
  promptstrata doctor
  promptstrata doctor --backup ./backups/monday.sqlite`
