/** The process that talks (R24): the one with the first-person context. */
export const mainProcess = "main-virtual"
