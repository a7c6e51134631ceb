import type { Router } from 'zeromq'
import type { HandshakeRefusal } from '../broker/events.js'

/** Tells of connections that came to nothing. What the ZAP handler refuses is told there, with the better reason. */
export function watchHandshakes(socket: Router, refused: (reason: HandshakeRefusal) => void): void {
  for (const kind of ['handshake:error:protocol', 'handshake:error:other'] as const) {
    socket.events.on(kind, ({ error }) => refused(reasonOf((error as NodeJS.ErrnoException).code)))
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
