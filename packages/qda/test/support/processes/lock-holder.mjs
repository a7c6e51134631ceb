// A process that takes a project's lock when it is told to: arguments are the project's folder and the time its clock shows.
import { ProjectLock } from '../../../dist/format/project-lock.js'

const [path, now] = process.argv.slice(2)
const clock = {
  now: () => Number(now),
  monotonic: () => 0,
  sleepUntil: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true })),
}
const lock = new ProjectLock(path, clock)
process.on('message', async (what) => {
  process.send(what === 'stillOurs' ? lock.stillOurs() : ((await lock[what]()) ?? true))
})
process.send('ready')
