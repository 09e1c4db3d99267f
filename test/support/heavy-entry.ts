import { existsSync } from "node:fs"
import { parse } from "yaml"
import { z } from "zod"

/** Loads what the root entry must not, so that the test of that can be seen to fail. */
export const heavy = [existsSync, parse, z]
