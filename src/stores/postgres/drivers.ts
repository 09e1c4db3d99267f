import { PromptStrataError } from "../../core/errors.ts"

/** The optional packages that this store works with. */
export interface Drivers {
  readonly pg: Pick<typeof import("pg"), "Client" | "Pool" | "types">
  readonly boss: typeof import("pg-boss")
  readonly kysely: typeof import("kysely")
}

/** Loads the packages, which a program without this store never pays for. Throws `missing-dependency` naming what to install. */
export async function loadDrivers(): Promise<Drivers> {
  try {
    const [pg, boss, kysely] = await Promise.all([import("pg"), import("pg-boss"), import("kysely")])
    return { pg: pg.default, boss, kysely }
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "A store on PostgreSQL needs the packages `pg` (version 8) and `pg-boss` (version 12), of which one could not be loaded.",
      { cause, hint: "Run `npm install pg@8 pg-boss@12.35.0`." },
    )
  }
}
