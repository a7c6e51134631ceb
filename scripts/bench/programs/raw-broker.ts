// The floor of a broker: one ROUTER between a client's DEALER and a worker's, nothing but routing. `node raw-broker.js ENDPOINT`
import { Router } from 'zeromq'
import { endWithParent } from './end-with-parent.js'

const router = new Router({ linger: 0, sendHighWaterMark: 10_000, receiveHighWaterMark: 10_000, sendTimeout: 0 })
await router.bind(process.argv[2]!)
endWithParent()
process.send?.({ bound: true })
let worker: Buffer | undefined
const pass = (frames: Buffer[]) => void router.send(frames).catch(() => undefined)
for await (const [from, first, body] of router as AsyncIterable<Buffer[]>) {
  if (worker === undefined) {
    worker = from
    process.send?.({ joined: true })
  } else if (body === undefined) pass([worker, from!, first!])
  else pass([first!, body])
}
