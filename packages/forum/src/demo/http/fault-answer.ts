import type { IncomingHttpHeaders } from 'node:http'
import type { FaultKind } from '../faults.js'
import { type Answer, html, json, redirect, text } from './answer.js'

type Given = Extract<FaultKind, { readonly kind: 'status' | 'done-then-status' }>

export function givenAnswer({ status, headers, ...body }: Given): Answer {
  const answer =
    body.json !== undefined
      ? json(body.json, status)
      : body.text !== undefined
        ? text(body.text, status)
        : html(
            body.html ?? `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>`,
            status,
          )
  return { ...answer, ...(headers && { headers }) }
}

/** What a fault says in place of the forum; nothing where the forum itself is to answer. */
export function faultAnswer(fault: FaultKind, headers: IncomingHttpHeaders, now: number): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return givenAnswer(fault)
    case 'redirect':
      return redirect(fault.location, fault.status ?? 302)
    case 'html':
      return html(fault.html ?? '<!DOCTYPE html><html><head><title>Log in</title></head><body>Log in</body></html>')
    case 'rate-limit':
      return rateLimitAnswer(fault, now)
    case 'echo':
      return echoAnswer(headers, fault.status ?? 200)
    default:
      return undefined
  }
}

function echoAnswer(headers: IncomingHttpHeaders, status: number): Answer {
  const said = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return json({ errors: [`The request had these headers: ${said.join('; ')}`], error_type: 'echo' }, status)
}

function rateLimitAnswer(fault: Extract<FaultKind, { readonly kind: 'rate-limit' }>, now: number): Answer {
  const { seconds } = fault
  if (fault.shape === 'search') {
    return json({ failed: 'FAILED', message: 'You have performed too many searches. Please try again later.' }, 429)
  }
  const retryAfter = fault.date === true ? new Date(now + seconds * 1_000).toUTCString() : String(seconds)
  if (fault.shape === 'text') {
    const headers = { 'retry-after': retryAfter, 'discourse-rate-limit-error-code': 'ip_10_secs_limit' }
    const said = `Slow down, too many requests from this IP address.\nPlease retry again in ${seconds} seconds.\n`
    return { ...text(`${said}Error code: ip_10_secs_limit.\n`, 429), headers }
  }
  const time = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const body = {
    errors: [`Too many times, try again in ${time}.`],
    error_type: 'rate_limit',
    extras: { wait_seconds: seconds, time_left: time },
  }
  return { ...json(body, 429), headers: { 'retry-after': retryAfter } }
}
