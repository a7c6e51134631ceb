import type { RequestId } from '@modelcontextprotocol/server'
import { internalError } from '../mcp/json-rpc.js'
import { type HttpError, serverError } from './answers.js'

/** Why a call gets no outcome: its client wanted none any more, or its session has ended. */
export type CallEnd = 'cancelled' | 'session_ended'

/** The protocol gives a cancelled request no end, but an HTTP request waits for one. */
export const cancelledError = { code: serverError, message: 'The request was cancelled' }

/** What is said instead of an answer. */
export function callEndError(end: CallEnd, id: RequestId): HttpError {
  switch (end) {
    case 'cancelled': {
      const { code: rpcCode, message } = cancelledError
      return { status: 200, code: 'CANCELLED', rpcCode, id, message }
    }
    case 'session_ended':
      return { ...unanswered, id }
    default:
      return end satisfies never
  }
}

export const unanswered: HttpError = {
  status: 503,
  code: 'CANCELLED',
  rpcCode: internalError,
  message: 'The connection was closed before there was an answer',
}
