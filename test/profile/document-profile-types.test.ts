import { expect, test } from "vitest"
import { withWords } from "../../.ci/document-profile-types.ts"
import { flag, line, table, tables } from "../../src/profile/key.ts"

test("an editor shows the words of a key: they are written above it in the built declarations, in tables and lists of tables too", () => {
  const entry = table("An entry.", { deep: flag({ words: "Deep." }) })
  const keys = {
    name: line({ words: "The name." }),
    inner: table("A table.", { name: flag({ words: "Another name, such as a*/b." }) }),
    list: tables(entry, { expected: "entries", words: "Entries." }),
  }
  const declarations = [
    "export declare const other: Table<{",
    "    readonly name: Key<string>;",
    "}>;",
    "export declare const all: Table<{",
    "    readonly name: Key<string>;",
    "    readonly inner: Table<{",
    "        readonly name: Key<boolean>;",
    "    }>;",
    "    readonly list: Key<readonly {",
    "        readonly deep?: boolean;",
    "    }[]>;",
    "}>;",
  ]
  expect(withWords(declarations.join("\n"), "all", keys).split("\n")).toEqual([
    ...declarations.slice(0, 4),
    "    /** The name. */",
    "    readonly name: Key<string>;",
    "    /** A table. */",
    "    readonly inner: Table<{",
    "        /** Another name, such as a*\\/b. */",
    "        readonly name: Key<boolean>;",
    "    }>;",
    "    /** Entries. */",
    "    readonly list: Key<readonly {",
    "        /** Deep. */",
    "        readonly deep?: boolean;",
    "    }[]>;",
    "}>;",
  ])
})
