import { connect } from 'node:net'
import type { BrokerSnapshot } from '@callboard/hub'

export interface HubView {
  readonly hub: { readonly pid: number }
  readonly snapshot: BrokerSnapshot
}

/** What `callboard ls --json` says, without a process for it. */
export async function readHub(socket: string): Promise<HubView> {
  return (await control(socket, { command: 'snapshot' })) as HubView
}

/** One command over the hub's socket, as the command line gives it. @throws what the hub says against it */
export function control(socket: string, command: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    let text = ''
    connection.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (!text.endsWith('\n')) return
      connection.destroy()
      const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message: string } }
      if (error === undefined) resolve(result)
      else reject(new Error(error.message))
    })
    connection.once('error', reject)
    connection.once('close', () => reject(new Error('the hub hung up')))
    connection.write(`${JSON.stringify({ callboard: 1, control: command })}\n`)
  })
}
