// A kernel of Jupyter's protocol that does what no good kernel does. The code of a cell is the name of a misdeed.
// Built code: Node 20 cannot run TypeScript. `npm test` builds first.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Publisher, Reply, Router } from 'zeromq'
import { decodeMessage, encodeMessage } from '../../dist/runtime/jupyter/wire.js'

const [, , connectionFile, ...flags] = process.argv
const connection = JSON.parse(readFileSync(connectionFile, 'utf8'))
const protocolVersion = flags.includes('--protocol-6') ? '6.0' : '5.3'
if (flags.includes('--tcp-only') && connection.transport !== 'tcp') process.exit(2)
if (flags.includes('--quiet')) setInterval(() => {}, 1000)
process.on('SIGINT', () => interrupted('SIGINT'))
let interrupted = () => {}

const endpoint = (port) =>
  `${connection.transport}://${connection.ip}${connection.transport === 'ipc' ? '-' : ':'}${port}`
const shell = new Router()
const control = new Router()
const stdin = new Router()
// Drops nothing by itself, so that a test sees what the worker drops.
const iopub = new Publisher({ sendHighWaterMark: 0 })
const heartbeat = new Reply()
await shell.bind(endpoint(connection.shell_port))
await control.bind(endpoint(connection.control_port))
await stdin.bind(endpoint(connection.stdin_port))
await iopub.bind(endpoint(connection.iopub_port))
await heartbeat.bind(endpoint(connection.hb_port))

const framesOf = (type, content, parentHeader, identities = []) => {
  const header = { msg_id: randomUUID(), msg_type: type, session: 'fake', username: '', date: '', version: '5.3' }
  return encodeMessage({ identities, header, parentHeader, metadata: {}, content, buffers: [] }, connection.key)
}
let publishing = Promise.resolve()
const publishFrames = (frames) => {
  publishing = publishing.then(() => iopub.send(frames))
  return publishing
}
const publish = (parent, type, content) => publishFrames(framesOf(type, content, parent))
const print = (parent, text, name = 'stdout') => publish(parent, 'stream', { name, text })
const value = (parent, text) => publish(parent, 'execute_result', { data: { 'text/plain': text }, metadata: {} })
let previous

const misdeeds = {
  value: async ({ parent }) => value(parent, '2'),
  'send what nobody signed': async ({ parent }) => {
    const forged = framesOf('stream', { name: 'stdout', text: 'forged' }, parent)
    forged[1] = Buffer.from('0'.repeat(64))
    await publishFrames(forged)
    await publishFrames(['no frames of Jupyter'])
    await publishFrames(framesOf('stream', { name: 'stdout', text: 1 }, parent))
    await publishFrames(framesOf('status', {}, parent))
    await publishFrames(framesOf('no such type', {}, parent))
    await publish({ ...parent, msg_id: 'never sent' }, 'stream', { name: 'stdout', text: 'of a stranger' })
    await value(parent, 'signed')
  },
  'never be idle': async ({ parent }) => {
    await print(parent, 'said\n')
    return { idle: false }
  },
  'never reply': async ({ parent }) => {
    await print(parent, 'said\n')
    return { reply: false }
  },
  abort: async () => ({ status: 'aborted' }),
  'die after 1,000 lines': async ({ parent }) => {
    for (let line = 1; line <= 1000; line += 1) await print(parent, `line ${line}\n`)
    process.stderr.write('the last words\n')
    // Closing sends what waits, with `linger`.
    for (const socket of [iopub, shell, control, stdin, heartbeat]) socket.close()
    setTimeout(() => process.exit(3), 500)
    return { idle: false, reply: false }
  },
  'print 100 MB': async ({ parent }) => {
    const text = `${'x'.repeat(99_999)}\n`
    for (let count = 0; count < 1000; count += 1) await print(parent, text)
    await print(parent, 'the end')
  },
  'say too much at once': async ({ parent }) => {
    await print(parent, 'x'.repeat(128 * 1024 * 1024))
  },
  'speak for the run before': async ({ parent }) => {
    await print(previous, 'late\n')
    await publish(previous, 'display_data', { data: { 'image/png': 'AAAA' }, metadata: {} })
    await print(parent, 'own\n')
  },
  'ask for input': async ({ parent, identities }) => {
    await stdin.send(framesOf('input_request', { prompt: '?', password: false }, parent, identities))
    const decoded = decodeMessage(await stdin.receive(), connection.key)
    await value(parent, JSON.stringify(decoded.message.content.value))
  },
  'wait for an interrupt': async ({ parent }) => {
    await print(parent, 'waiting\n')
    const how = await new Promise((resolve) => (interrupted = resolve))
    interrupted = () => {}
    const error = { ename: 'Interrupted', evalue: how, traceback: ['\u001b[31mtrace\u001b[0m'] }
    await publish(parent, 'error', error)
    return { status: 'error', ...error }
  },
  'take its time': async ({ parent }) => {
    const end = new Promise((resolve) => setTimeout(resolve, 200, 'undisturbed'))
    await value(parent, await Promise.race([end, new Promise((resolve) => (interrupted = resolve))]))
    interrupted = () => {}
  },
  'write to its own descriptors': async () => {
    process.stdout.write('own stdout\n')
    process.stderr.write('own stderr\n')
  },
}

async function execute(message) {
  const parent = message.header
  const { identities } = message
  await publish(parent, 'status', { execution_state: 'busy' })
  await publish(parent, 'execute_input', { code: message.content.code, execution_count: 1 })
  const outcome = (await misdeeds[message.content.code]({ parent, identities })) ?? {}
  const { reply = true, idle = true, status = 'ok', ...rest } = outcome
  if (reply) await shell.send(framesOf('execute_reply', { status, execution_count: 1, ...rest }, parent, identities))
  if (idle) await publish(parent, 'status', { execution_state: 'idle' })
  previous = parent
}

async function tellInfo(socket, message) {
  const parent = message.header
  await publish(parent, 'status', { execution_state: 'busy' })
  const info = {
    status: 'ok',
    protocol_version: protocolVersion,
    implementation: 'fake',
    implementation_version: '1',
    language_info: { name: 'fake', version: '1.0' },
    banner: '',
  }
  await socket.send(framesOf('kernel_info_reply', info, parent, message.identities))
  await publish(parent, 'status', { execution_state: 'idle' })
}

async function serve(socket) {
  for await (const frames of socket) {
    const { message } = decodeMessage(frames, connection.key)
    switch (message?.header.msg_type) {
      case 'kernel_info_request':
        if (!flags.includes('--quiet')) await tellInfo(socket, message)
        break
      case 'execute_request':
        await execute(message)
        break
      case 'interrupt_request':
        interrupted('interrupt_request')
        break
      case 'shutdown_request':
        process.exit(0)
    }
  }
}

void serve(control)
await serve(shell)
