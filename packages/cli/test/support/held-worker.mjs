// Loaded before the program of each process: a worker waits until there is the file that CALLBOARD_TEST_GATE names.
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

if (process.argv[2] === 'worker') while (!existsSync(process.env['CALLBOARD_TEST_GATE'])) await delay(20)
