// Ignores SIGTERM, as does a child of it that it never waits for; says when both are ready.
import { spawn } from 'node:child_process'

process.on('SIGTERM', () => {})
if (process.argv[2] === 'child') {
  process.stdout.write('ready')
  setInterval(() => {}, 1_000_000)
} else {
  const child = spawn(process.execPath, [process.argv[1], 'child'], { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.once('data', () => process.stderr.write(`ready ${child.pid}\n`))
}
