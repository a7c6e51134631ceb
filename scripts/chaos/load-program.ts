// Offers load from a process of its own: `node load-program.js SOCKET URL FILE OPTIONS`. Tells its parent when it is connected
// and begins; at the word `stop` it asks no more, and tells when what became of each call is in the file.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { HttpCaller, SocketCaller } from './caller.js'
import type { LoadOptions, LoadReport } from './load-options.js'
import { OpenLoop } from './open-loop.js'
import { spreadOf } from './spread.js'

/** For second answers to what has been answered. */
const lateAnswersMs = 300
const settlePollMs = 10

const [socket = '', url = '', file = '', text = '{}'] = process.argv.slice(2)
const options = JSON.parse(text) as LoadOptions
// The parent says when; an interrupt at the terminal reaches all of us.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

const sockets: SocketCaller[] = []
for (let index = 0; index < options.connections; index += 1) {
  for (const era of ['legacy', 'modern'] as const) sockets.push(await SocketCaller.open(socket, era))
}
const http = new HttpCaller(url)
const loop = new OpenLoop(options, sockets, http)
process.send?.('begun')
await once(process, 'message')
loop.stop()
const settledBy = performance.now() + options.settleMs
while (loop.open > 0 && performance.now() < settledBy) await delay(settlePollMs)
await delay(lateAnswersMs)
writeFileSync(file, loop.calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
const { user, system } = process.cpuUsage()
const report: LoadReport = { lagMs: spreadOf(loop.lags), cpuMs: (user + system) / 1000 }
for (const caller of [...sockets, http]) caller.close()
process.send?.(report, () => process.exit())
