import { once } from 'node:events'
import { appendFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { DealerLink } from '../../../worker/src/dealer.js'
import { AuthorizedWorkers } from '../../src/keys/authorized-workers.js'
import { WorkerKeys } from '../../src/keys/worker-keys.js'
import { type SocketEvent, WorkerSockets } from '../../src/keys/worker-sockets.js'
import { temporaryDirectory } from '../temporary.js'

const own = curveKeyPair()
const hub = curveKeyPair()
let list: string
let endpoint: string
let events: SocketEvent[]

beforeEach(async () => {
  const directory = await temporaryDirectory()
  list = join(directory, 'authorized-workers')
  await writeFile(list, '', { mode: 0o600 })
  events = []
  const keys = new WorkerKeys(hub, new AuthorizedWorkers(list, Date.now))
  const sockets = new WorkerSockets({ step: (event) => void events.push(event), keys })
  onTestFinished(async () => {
    keys.close()
    await sockets.close()
  })
  endpoint = (await sockets.bind(`ipc://${directory}/w.sock`, ['tcp://127.0.0.1:*']))[0]!
})

const authorize = () => appendFile(list, `ada ${own.publicKey}\n`)

function link(
  at = endpoint,
  hubKey: string | readonly string[] = hub.publicKey,
): { link: DealerLink; heard: string[] } {
  const heard: string[] = []
  const dealer = new DealerLink({
    endpoint: at,
    routingId: 'ada/1',
    keys: { ...own, hubKey },
    onFault: () => undefined,
  })
  dealer.open({
    linkUp: () => {
      heard.push('up')
      dealer.send({ type: 'hello', versions: [1, 1] })
    },
    linkLost: () => void heard.push('lost'),
    received: () => undefined,
  })
  onTestFinished(() => dealer.close())
  return { link: dealer, heard }
}

const refusals = () => events.flatMap((event) => (event.type === 'handshake_refused' ? [event.reason] : []))
const wrong = [curveKeyPair().publicKey, curveKeyPair().publicKey]

const hellos = () => events.filter((event) => event.type === 'message').length

describe('a link by key [CB-109]', () => {
  it('that is denied says why, goes on trying, and is up when the key is authorized', async () => {
    const { link: dealer, heard } = link()
    await vi.waitFor(() => expect(dealer.problem).toMatch(/does not admit this worker's key.*keys authorize/))
    expect(heard).not.toContain('up')
    await authorize()
    await vi.waitFor(() => expect(hellos()).toBe(1), 8_000)
    expect(dealer.problem).toBeUndefined()
  }, 12_000)

  it('with the key of another hub says so, and does not try again at once', async () => {
    await authorize()
    const { link: dealer } = link(endpoint, curveKeyPair().publicKey)
    await vi.waitFor(() => expect(dealer.problem).toMatch(/set CALLBOARD_HUB_KEY to/))
    const refused = events.filter((event) => event.type === 'handshake_refused')
    expect(refused).toEqual([{ type: 'handshake_refused', reason: 'wrong_hub_key' }])
  })

  it('tries one hub key after the other, at once, until one is right', async () => {
    await authorize()
    const { link: dealer, heard } = link(endpoint, [...wrong, hub.publicKey])
    await vi.waitFor(() => expect(hellos()).toBe(1), 2_500)
    expect([heard.at(-1), dealer.hubKey]).toEqual(['up', hub.publicKey])
    expect(refusals()).toEqual(['wrong_hub_key', 'wrong_hub_key'])
  })

  it('tries each hub key once, and then says which have failed and what helps', async () => {
    await authorize()
    const { link: dealer } = link(endpoint, wrong)
    await vi.waitFor(() => expect(refusals()).toEqual(['wrong_hub_key', 'wrong_hub_key']))
    await vi.waitFor(() => expect(dealer.problem).toContain(`its key is not ${wrong[0]} or ${wrong[1]}; set`))
    expect(refusals()).toHaveLength(2)
  })

  it('does not wait for ever for an answer to a hub key', async () => {
    await authorize()
    let isSilent = true
    const ends: Socket[] = []
    const network = createServer((socket) => {
      ends.push(socket.on('error', () => undefined))
      if (!isSilent)
        ends.push(socket.pipe(connect(Number(/\d+$/.exec(endpoint)![0]), '127.0.0.1')).pipe(socket) as Socket)
      isSilent = false
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const socket of ends) socket.destroy()
      network.close()
    })
    await once(network, 'listening')
    link(`tcp://127.0.0.1:${(network.address() as { port: number }).port}`, [wrong[0]!, hub.publicKey])
    await vi.waitFor(() => expect(hellos()).toBe(1), 8_000)
    expect(refusals()).toEqual([])
  }, 12_000)

  it('that hangs half open is made anew, and takes over its routing id', async () => {
    await authorize()
    // Stands for a network: it can stop to carry without telling either end.
    const carried: Socket[] = []
    const network = createServer((socket) => {
      const onward = connect(Number(/\d+$/.exec(endpoint)![0]), '127.0.0.1')
      socket.pipe(onward).pipe(socket)
      for (const end of [socket, onward]) end.on('error', () => undefined)
      carried.push(socket, onward)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const socket of carried) socket.destroy()
      network.close()
    })
    await vi.waitFor(() => expect(network.address()).not.toBeNull())
    const { heard } = link(`tcp://127.0.0.1:${(network.address() as { port: number }).port}`)
    await vi.waitFor(() => expect(hellos()).toBe(1))
    const [near, far] = carried as [Socket, Socket]
    near.unpipe()
    far.unpipe()
    await vi.waitFor(() => expect(hellos()).toBe(2), 12_000)
    expect(heard).toEqual(['up', 'lost', 'up'])
    expect(new Set(events.flatMap((event) => (event.type === 'message' ? event.peer : [])))).toHaveLength(1)
  }, 15_000)
})
