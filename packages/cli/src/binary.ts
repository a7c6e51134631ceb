import { fileURLToPath } from 'node:url'

/** The program that runs now, for child processes and for whoever shall start it. */
export const binary = fileURLToPath(new URL('../bin/callboard.js', import.meta.url))
