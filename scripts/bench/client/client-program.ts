// The client of one subject: `fork`ed by the benchmark, which says what to open and when to ask. Ends with its parent, and with
// it whatever it has started.
import { type ChildProcess, spawn } from 'node:child_process'
import { CallTexts, clientInfo, legacyRevision, modernMeta } from './call-texts.js'
import { CallWindow } from './call-window.js'
import type { Carrier, CarrierEvents } from './carrier.js'
import type { ClientOrder, ClientReport, Opening, ProgramCommand, WindowOrder } from './client-messages.js'
import { DealerCarrier } from './dealer-carrier.js'
import { HttpCarrier } from './http-carrier.js'
import { LineCarrier } from './line-carrier.js'
import { payloads } from './payload.js'
import { SseCarrier } from './sse-carrier.js'
import { listens, says, untilTrue } from './until-serving.js'

let program: ChildProcess | undefined
let carrier: Carrier | undefined
let opening: Opening | undefined
let window: CallWindow | undefined
let nextId = 1
/** Answers to what is no call, by id. */
const asked = new Map<unknown, { resolve(result: unknown): void; reject(error: Error): void }>()

const events: CarrierEvents = {
  deliver: (messages) => (window === undefined ? messages.forEach(read) : window.take(messages)),
  fail: (problem) => {
    window?.fail(problem)
    if (window === undefined) tell({ kind: 'failed', problem })
  },
}

process.on('message', (order: ClientOrder) => {
  const work = order.kind === 'open' ? open(order.opening) : measure(order.window)
  work.then(tell, (error) => tell({ kind: 'failed', problem: error instanceof Error ? error.message : `${error}` }))
})
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())
process.on('exit', () => program?.kill('SIGKILL'))

async function open(how: Opening): Promise<ClientReport> {
  opening = how
  carrier = await carrierFor(how)
  if (how.era === 'legacy') {
    await ask('initialize', { protocolVersion: legacyRevision, capabilities: {}, clientInfo })
    carrier.send([JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })])
  }
  // Not that a client must; but whoever answers it is there.
  else if (how.era === 'modern' && how.kind !== 'http') await ask('server/discover', { _meta: modernMeta })
  return { kind: 'opened', ...(program?.pid !== undefined && { program: program.pid }) }
}

async function carrierFor(how: Opening): Promise<Carrier> {
  switch (how.kind) {
    case 'stdio': {
      const child = start(how.program, 'pipe')
      return new LineCarrier(child.stdout!, child.stdin!, events)
    }
    case 'socket':
      return LineCarrier.attach(how.path, events)
    case 'http':
      if (how.program !== undefined) await startServing(how.url, how.program)
      return new HttpCarrier(how.url, how, events)
    case 'sse':
      if (how.program !== undefined) await startServing(how.url, how.program)
      return new SseCarrier(how.url, events)
    case 'dealer':
      return new DealerCarrier(how.endpoint, events)
    default:
      return how satisfies never
  }
}

async function startServing(url: string, command: ProgramCommand): Promise<void> {
  const child = start(command, 'ignore')
  await untilTrue(`nobody listens at ${url}`, child, () => listens(url))
  const { ready } = command
  if (ready !== undefined) await untilTrue(`${ready.url} does not say ${ready.text}`, child, () => says(ready))
}

/** What it says on stderr is of interest only when it ends. */
function start({ command, args, env }: ProgramCommand, streams: 'pipe' | 'ignore'): ChildProcess {
  const child = spawn(command, args, { env, stdio: [streams, streams, 'pipe'] })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-500)
  })
  child.once('close', (code, signal) => events.fail(`the program has ended (${code ?? signal}): ${said.trim()}`))
  child.once('error', (error) => events.fail(error.message))
  program = child
  return child
}

function ask(method: string, params: object): Promise<unknown> {
  const id = `ask-${nextId++}`
  const answer = new Promise<unknown>((resolve, reject) => asked.set(id, { resolve, reject }))
  carrier!.send([JSON.stringify({ jsonrpc: '2.0', id, method, params })])
  return answer
}

function read(message: string): void {
  const { id, result, error } = JSON.parse(message)
  const waiting = asked.get(id)
  asked.delete(id)
  if (result === undefined) waiting?.reject(new Error(`refused: ${JSON.stringify(error)}`))
  else waiting?.resolve(result)
}

async function measure(order: WindowOrder): Promise<ClientReport> {
  const { tool, era } = opening!
  const texts = new CallTexts(payloads[order.payload], tool, era)
  const ports = { texts, firstId: nextId, send: (messages: readonly string[]) => carrier!.send(messages) }
  const current = new CallWindow(order, ports)
  window = current
  try {
    return { kind: 'window', report: await current.report }
  } finally {
    nextId = current.nextId
    window = undefined
  }
}

function tell(report: ClientReport): void {
  // The parent may be gone.
  if (process.connected) process.send!(report, () => undefined)
}
