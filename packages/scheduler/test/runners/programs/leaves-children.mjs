// Ends while two children go on: one of its group, one that has left it; both hold the output open.
import { spawn } from 'node:child_process'

const sleep = (detached) => spawn('sleep', ['600'], { detached, stdio: ['ignore', 'inherit', 'inherit'] })
const [left, gone] = [sleep(false), sleep(true)]
process.stdout.write(JSON.stringify({ inGroup: left.pid, outside: gone.pid }), () => process.exit(0))
