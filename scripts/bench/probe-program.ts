// Loaded into a process that is measured (`node --expose-gc --import probe-program.js …`): answers on the Unix socket
// BENCH_PROBE what only the process itself can tell. One word is one question, one line of JSON the answer.
import { createServer, Socket } from 'node:net'
import { LoopCount } from './loop-count.js'
import type { ProbeAnswers, ProbeWord } from './probe.js'
import { WireCount } from './wire-count.js'

const wire = new WireCount()
const loop = new LoopCount()
const answers: { readonly [Word in ProbeWord]: () => ProbeAnswers[Word] } = {
  cpu() {
    const { user, system } = process.cpuUsage()
    return { micros: user + system }
  },
  heap() {
    // What the first one finds dead may hold what only the second one frees.
    for (let round = 0; round < 3; round += 1) globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    return { heapBytes: heapUsed + external, residentBytes: rss }
  },
  allocated: () => ({ heapBytes: process.memoryUsage().heapUsed }),
  count() {
    loop.begin()
    return wire.begin()
  },
  counted: () => ({ ...loop.end(), ...wire.end() }),
}

const path = process.env['BENCH_PROBE']
if (path !== undefined && process.env['BENCH_PROBE_IN'] === undefined) {
  // Its own children have none.
  process.env['BENCH_PROBE_IN'] = `${process.pid}`
  loop.install()
  await wire.install(Socket.prototype)
  const server = createServer((socket) => {
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.on('data', (word: ProbeWord) => wire.aside(() => socket.write(`${JSON.stringify(answers[word]())}\n`)))
  })
  server.listen(path).unref()
}
