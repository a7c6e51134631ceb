// The worker of the floor: `node raw-worker.js ENDPOINT`
import { Dealer } from 'zeromq'
import { endWithParent } from './end-with-parent.js'
import { splicedAnswer } from './spliced-answer.js'

const dealer = new Dealer({ linger: 0, sendHighWaterMark: 10_000, receiveHighWaterMark: 10_000, sendTimeout: 0 })
dealer.connect(process.argv[2]!)
endWithParent()
await dealer.send('here')
process.send?.({ sent: true })
for await (const [from, body] of dealer as AsyncIterable<Buffer[]>) {
  void dealer.send([from!, splicedAnswer(body!.toString('latin1'))]).catch(() => undefined)
}
