import { onTestFinished } from 'vitest'
import type { NetworkAdapter, Part, PostRef, Prepared, PublishOutcome } from '../../src/networks/network-adapter.js'
import { openX, type XOptions } from '../../src/networks/x/open-x.js'
import { openTestFoundation, type TestFoundation } from './test-foundation.js'
import { XServer } from './x-server.js'

export interface XSetting {
  readonly server: XServer
  readonly x: NetworkAdapter
  readonly foundation: TestFoundation
  /** Another replica over the same database and X. */
  another(options?: Partial<XOptions>): NetworkAdapter
  prepare(text: string, parent?: PostRef): Prepared
  publish(text: string, parent?: PostRef): Promise<PublishOutcome>
}

export async function openXSetting(options: Partial<XOptions> = {}): Promise<XSetting> {
  const foundation = await openTestFoundation()
  onTestFinished(() => foundation[Symbol.asyncDispose]())
  const server = await XServer.start(foundation.clock)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const another = (changed: Partial<XOptions> = {}) =>
    openX({
      baseUrl: server.baseUrl,
      tier: 'PayPerUse',
      dailyBudgetUsd: 100,
      clientId: 'client',
      accessToken: 'access-0',
      refreshToken: 'refresh-0',
      foundation,
      ...options,
      ...changed,
    })
  const x = another()
  const prepare = (text: string, parent?: PostRef) => {
    const part: Part = { text, media: [], ...(parent && { parent }) }
    return x.prepare(part, x.newPublishKey(foundation.clock.now(), foundation.random))
  }
  return { server, x, foundation, another, prepare, publish: (text, parent) => x.publish(prepare(text, parent)) }
}

/** Code and message of what it rejects with. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; retryable?: boolean }> {
  return await work.then(
    () => ({ code: 'none', message: '' }),
    (error) => ({ code: error.code ?? error.name, message: error.message, retryable: error.retryable }),
  )
}
