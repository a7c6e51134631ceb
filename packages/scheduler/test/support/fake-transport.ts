import type { MailTransport, OutgoingMail, SendOptions, SendResult } from '../../src/mail/mail-transport.js'

/** Answers as told, once for each mail; then it takes everything. */
export class FakeTransport implements MailTransport {
  readonly mails: OutgoingMail[] = []
  readonly answers: (SendResult | Promise<SendResult>)[] = []

  async send(mail: OutgoingMail, { signal }: SendOptions): Promise<SendResult> {
    if (signal.aborted) return { kind: 'deferred', error: 'aborted' }
    this.mails.push(mail)
    const answer = this.answers.shift() ?? ({ kind: 'sent' } as const)
    const mine = AbortSignal.any([signal])
    const aborted = new Promise<SendResult>((resolve) => {
      mine.addEventListener('abort', () => resolve({ kind: 'deferred', error: 'aborted' }), { once: true })
    })
    return Promise.race([answer, aborted])
  }
}

export const deferred: SendResult = { kind: 'deferred', error: '451 try later' }
export const refused: SendResult = { kind: 'refused', error: '550 no such user' }

/** A send that lasts until the test ends it. */
export function lasting(): { readonly answer: Promise<SendResult>; end(result: SendResult): void } {
  let end: (result: SendResult) => void = () => undefined
  const answer = new Promise<SendResult>((resolve) => {
    end = resolve
  })
  return { answer, end: (result) => end(result) }
}
