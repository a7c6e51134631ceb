import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Event, Router } from 'zeromq'
import type { ConnectionStage, HandshakeRefusal } from '../broker/events.js'
import { acceptErrorReportMs, handshakeEventsTurnMs } from './limits.js'

export interface HandshakeListener {
  /** A connection that came to nothing. What the ZAP handler refuses is told there, with the better reason. */
  refused(reason: HandshakeRefusal): void
  /** Whoever breaks off in silence shows here only: accepted, and never through the handshake. */
  connection(stage: ConnectionStage): void
}

/**
 * Tells of the connections of a socket, until it is closed. Without a free file descriptor libzmq says so hundreds of thousands of
 * times a second: so by turns, that the hub's other work goes on. It must go on reading, because libzmq waits for who watches it.
 */
export async function watchHandshakes(socket: Router, listener: HandshakeListener): Promise<void> {
  const { events } = socket
  let turnBegan = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  try {
    while (!events.closed) {
      const event = await events.receive()
      if (event.type !== 'accept:error') tell(event, listener)
      else if (performance.now() - reportedAt > acceptErrorReportMs) {
        reportedAt = performance.now()
        listener.refused('no_file_descriptor')
      }
      if (performance.now() - turnBegan < handshakeEventsTurnMs) continue
      await nextTurn()
      turnBegan = performance.now()
    }
  } catch (error) {
    // What waits for an event while the socket is closed gets an error.
    if (!events.closed && !socket.closed) throw error
  }
}

function tell(event: Event, { refused, connection }: HandshakeListener): void {
  switch (event.type) {
    case 'accept':
      return connection('accepted')
    case 'handshake':
      return connection('handshaken')
    case 'disconnect':
      return connection('ended')
    case 'handshake:error:protocol':
    case 'handshake:error:other':
      return refused(reasonOf((event.error as NodeJS.ErrnoException).code))
    default:
  }
}

function reasonOf(code: string | undefined): HandshakeRefusal {
  switch (code) {
    case 'ERR_ZMTP_CRYPTOGRAPHIC':
      return 'wrong_hub_key'
    case 'ERR_ZMTP_MECHANISM_MISMATCH':
      return 'wrong_mechanism'
    case 'EAGAIN':
    case 'ETIMEDOUT':
      return 'too_slow'
    default:
      return code?.startsWith('ERR_ZMTP') ? 'protocol_error' : 'broken_off'
  }
}
