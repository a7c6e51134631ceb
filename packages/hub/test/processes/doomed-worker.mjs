// A worker made of frames, to be killed: signs in at argv[2] as greeter, tells the test of each request and never answers.
import { randomUUID } from 'node:crypto'
import { Packr } from 'msgpackr'
import { Dealer } from 'zeromq'

const definitions = { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }
const packr = new Packr({ useRecords: false })
process.on('disconnect', () => process.exit())
const socket = new Dealer({ routingId: `greeter/${randomUUID()}`, linger: 0 })
socket.connect(process.argv[2])
await socket.send(packr.pack({ type: 'hello', versions: [1, 1] }))
for await (const [head] of socket) {
  for (const { type, epoch } of [packr.unpack(head)].flat()) {
    if (type === 'challenge') await socket.send([packr.pack(ready(epoch)), JSON.stringify(definitions)])
    if (type === 'welcome' || type === 'request') process.send(type)
  }
}

function ready(epoch) {
  return {
    type: 'ready',
    epoch,
    service: 'greeter',
    version: '1.0.0',
    instance: randomUUID(),
    workerEpoch: 1,
    concurrency: 4,
    heartbeatMs: 60_000,
    replicas: 'many',
    affinity: 'none',
    held: [],
  }
}
