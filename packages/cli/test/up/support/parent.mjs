// A parent as `callboard up` is one: `parent.mjs '{"name": "program", …}'`. Says what its workers say, and ends as its stdin tells it.
import { spawn } from 'node:child_process'
import { Supervisor } from '../../../dist/up/supervisor.js'

const programs = JSON.parse(process.argv[2])
const say = (line) => process.stdout.write(`${line}\n`)
const supervisor = new Supervisor({
  workers: Object.keys(programs),
  spawn: (name) => spawn(process.execPath, ['-e', programs[name]], { detached: true, stdio: 'pipe' }),
  writeLine: say,
  exited: ({ worker, how }) => say(`${worker} ended: ${how}`),
  recovered: () => {},
  guardian: {
    variables: { PATH: process.env.PATH, CALLBOARD_RUNTIME: process.env.CALLBOARD_RUNTIME },
    failed: (why) => say(`no guardian: ${why}`),
  },
})
supervisor.start()
const ways = {
  throw: () => {
    throw new Error('a fault of ours')
  },
  exit: () => process.exit(0),
  stop: () => supervisor.stop().then(() => process.exit(0)),
}
process.stdin.on('data', (word) => ways[String(word).trim()]())
