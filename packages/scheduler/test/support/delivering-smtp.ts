import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { SMTPServer } from 'smtp-server'

export type Deliver = (raw: Buffer) => Promise<void>

/** A mail server that takes mail over SMTP and lays it into a mailbox. */
export class DeliveringSmtp implements AsyncDisposable {
  /** Whatever it took, in the order of its coming. */
  readonly taken: Buffer[] = []
  /** While it does, mail is taken and not delivered. */
  isHolding = false
  readonly #server: SMTPServer

  private constructor(deliver: Deliver) {
    this.#server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, _session, done) => {
        stream
          .toArray()
          .then((chunks) => {
            const raw = Buffer.concat(chunks)
            this.taken.push(raw)
            return this.isHolding ? undefined : deliver(raw)
          })
          .then(() => done(), done)
      },
    })
    // A worker that is killed leaves a connection behind.
    this.#server.on('error', () => undefined)
  }

  static async start(deliver: Deliver): Promise<DeliveringSmtp> {
    const smtp = new DeliveringSmtp(deliver)
    smtp.#server.listen(0, '127.0.0.1')
    await once(smtp.#server.server, 'listening')
    return smtp
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve))
  }
}

/** As a mail server hands over to a mailbox that is another program's. */
export function lmtpTo(port: number, sender: string): Deliver {
  const options = { host: '127.0.0.1', port, secure: false, ignoreTLS: true, lmtp: true } as SMTPTransport.Options
  const transport = createTransport(options)
  return async (raw) => {
    await transport.sendMail({ envelope: { from: sender, to: 'callboard' }, raw })
  }
}
