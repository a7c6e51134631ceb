import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** What the server does with one mail; a number is its answer to DATA. */
export type MailFate = 'accept' | 'die_in_data' | 'die_after_data' | 'hang' | number

/** A real SMTP server on loopback that fails as it is told to. */
export class TestSmtpServer implements AsyncDisposable {
  readonly accepted: ParsedMail[] = []
  /** Message-IDs of all mails whose content arrived, accepted or not. */
  readonly seen: string[] = []
  /** One for each mail that comes; then all are accepted. */
  readonly fates: MailFate[] = []
  /** To RCPT TO, where not 250. */
  recipientAnswer: number | undefined
  connections = 0
  readonly #server: SMTPServer
  #contentArrived = () => {}

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      closeTimeout: 1_000,
      ...options,
      onConnect: (_session, done) => {
        this.connections += 1
        done()
      },
      onRcptTo: (_address, _session, done) =>
        done(this.recipientAnswer === undefined ? null : answer(this.recipientAnswer)),
      onData: (stream, _session, done) => void this.#receive(stream, done),
    })
    this.#server.on('error', () => undefined)
  }

  static async start(options: SMTPServerOptions = {}, host = '127.0.0.1', port = 0): Promise<TestSmtpServer> {
    const server = new TestSmtpServer(options)
    const listening = server.#server.listen(port, host)
    if (!listening.listening) await once(listening, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  /** Resolves when the content of a mail has arrived, before its answer. */
  nextContent(): Promise<void> {
    return new Promise((resolve) => {
      this.#contentArrived = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dropConnections()
    await new Promise<void>((resolve) => this.#server.close(resolve))
  }

  async #receive(stream: NodeJS.ReadableStream, done: (error?: Error | null) => void): Promise<void> {
    const fate = this.fates.shift() ?? 'accept'
    if (fate === 'die_in_data') return this.#dropConnections()
    const mail = await simpleParser(await text(stream))
    this.seen.push(mail.messageId ?? '')
    this.#contentArrived()
    if (fate === 'hang') return
    if (fate === 'die_after_data') return this.#dropConnections()
    if (typeof fate === 'number') return done(answer(fate))
    this.accepted.push(mail)
    done()
  }

  #dropConnections(): void {
    for (const { _socket } of this.#server.connections as Set<{ _socket: { destroy(): void } }>) _socket.destroy()
  }
}

function answer(responseCode: number): Error {
  return Object.assign(new Error('as the test wants it'), { responseCode })
}
