// An agent that asks for results of nearly 4 MiB: `node large-asker-program.js SOCKET TOOL`. Its parent says "go" and "stop", and
// is told how many came in between.
import { setTimeout as delay } from 'node:timers/promises'
import { LineExchange } from './line-exchange.js'

const [socket = '', tool = ''] = process.argv.slice(2)
/** As much text as stays one message with what stands around it. */
const bytes = 4 * 1024 * 1024 - 4_096
/** A result every now and then, rather than a machine that does nothing else. */
const pauseMs = 50
const exchange = await LineExchange.attach(socket, 'legacy')
let isOn = false
let count = 0
let last: Promise<void> = Promise.resolve()
process.on('message', (word) => void (word === 'go' ? go() : stop()))
process.once('disconnect', () => process.exit())
await ask()
process.send?.('ready')

function go(): void {
  isOn = true
  count = 0
  last = run()
}

async function stop(): Promise<void> {
  isOn = false
  await last
  process.send?.(count)
}

async function run(): Promise<void> {
  while (isOn) {
    await ask()
    count += 1
    await delay(pauseMs)
  }
}

async function ask(): Promise<void> {
  const received = await exchange.ask('tools/call', { name: tool, arguments: { bytes } })
  if (received < bytes) throw new Error(`a large result has ${received} bytes`)
}
