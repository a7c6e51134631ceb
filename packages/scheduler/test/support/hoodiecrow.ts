import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { TcpGate } from './tcp-gate.js'
import type { TestImapServer } from './test-imap-server.js'

interface HoodiecrowMailbox {
  uidvalidity: number
  uidnext: number
  messages: { uid: number; internaldate: string; raw: string }[]
}

interface Command {
  readonly tag: string
  readonly attributes: readonly { readonly value: string }[]
}

type Handler = (connection: { send(answer: object): void }, command: Command, data: unknown, done: () => void) => void

interface Hoodiecrow {
  getCommandHandler(name: string): Handler
  setCommandHandler(name: string, handler: Handler): void
  readonly server: Server
  listen(port: number, host: string): void
  getMailbox(path: string): HoodiecrowMailbox
  appendMessage(mailbox: string, flags: readonly string[], receivedAt: Date, raw: string): unknown
}

const createHoodiecrow = createRequire(import.meta.url)('hoodiecrow-imap') as (options: object) => Hoodiecrow

export interface HoodiecrowOptions {
  /** With the certificate that comes with it, which nobody can trust. */
  readonly secure?: boolean
  /** Without it the server tells nothing by itself. */
  readonly idle?: boolean
  /** Whether it answers NO when this mail is asked for. */
  readonly refuses?: (uid: number) => boolean
}

/** In memory and old: no literals beyond ASCII survive it, and it takes any UID for a good one. */
export async function startHoodiecrow({
  secure = false,
  idle = true,
  refuses,
}: HoodiecrowOptions = {}): Promise<TestImapServer> {
  const imap = createHoodiecrow({
    plugins: idle ? ['IDLE'] : [],
    secureConnection: secure,
    users: { callboard: { password: 'secret' } },
    storage: { INBOX: { uidvalidity: 7 }, '': {} },
  })
  if (refuses !== undefined) refuse(imap, refuses)
  imap.listen(0, '127.0.0.1')
  await once(imap.server, 'listening')
  const gate = await TcpGate.to((imap.server.address() as AddressInfo).port)
  return {
    url: `${secure ? 'imaps' : 'imap'}://callboard:secret@127.0.0.1:${gate.port}`,
    gate,
    async deliver(raw, receivedAt = new Date()) {
      imap.appendMessage('INBOX', [], receivedAt, Buffer.from(raw).toString('latin1'))
    },
    async renumber() {
      const inbox = imap.getMailbox('INBOX')
      inbox.uidvalidity += 1
      for (const message of inbox.messages) message.uid += 1_000
      inbox.uidnext += 1_000
    },
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]()
      imap.server.close()
    },
  }
}

function refuse(imap: Hoodiecrow, refuses: (uid: number) => boolean): void {
  const fetch = imap.getCommandHandler('UID FETCH')
  imap.setCommandHandler('UID FETCH', (connection, command, data, done) => {
    if (!refuses(Number(command.attributes[0]?.value))) return fetch(connection, command, data, done)
    connection.send({ tag: command.tag, command: 'NO', attributes: [{ type: 'TEXT', value: 'That mail is damaged' }] })
    done()
  })
}
