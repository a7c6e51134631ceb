import { describe, expect, it } from 'vitest'
import type { MetricsOptions } from '../../src/http/metrics-page.js'
import { pagesKeptMax } from '../../src/metrics/limits.js'
import type { Identity } from '../../src/port.js'
import { parsedMetrics, sampleOf } from '../metrics/parsed-metrics.js'
import { loadOf, statisticsOf } from '../metrics/statistics-of.js'
import { TestFront } from './front.js'

/** A token `all` sees every service; `some A B` sees A and B; any other is wrong. */
async function listen(options: Partial<MetricsOptions> = {}) {
  const reads = { count: 0 }
  const read = () => {
    reads.count++
    return statisticsOf([loadOf('kernel'), loadOf('social')], { sessions: 3 })
  }
  const services = (reader: Identity) =>
    ['kernel', 'social']
      .filter((service) => reader.services?.includes(service) ?? true)
      .map((service) => ({ service, state: 'ready' as const }))
  const front = await TestFront.listen({
    metrics: { read, services, isOpen: false, ...options },
    authenticate: ({ token }) => {
      const [word, ...services] = token?.split('.') ?? ['some', 'kernel']
      if (word === 'operator')
        return { session: 's', principal: 'operator:local', roles: ['agent', 'operator'], services }
      if (word === 'all') return { session: 's', principal: 'agent:a', roles: ['agent'] }
      if (word === 'some') return { session: 's', principal: 'agent:b', roles: ['agent'], services }
      return { status: 401, error: { code: 'unauthorized', message: 'no' } }
    },
  })
  return { front, reads, get: (token?: string, method = 'GET') => front.send(method, '/metrics', bearer(token)) }
}

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }
const servicesOn = (page: string) =>
  parsedMetrics(page)
    .get('callboard_credits')
    ?.map(({ labels }) => labels['service']) ?? []

describe('with a token', () => {
  it('a page is what scrapers read', async () => {
    const { get } = await listen()
    const { status, headers, text } = await get('all')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(sampleOf(text, 'callboard_sessions')).toBe(3)
  })

  it.each([
    ['all', ['kernel', 'social']],
    ['some.social', ['social']],
    ['some', []],
    ['operator', ['kernel', 'social']],
  ])('%s sees of the services %j, and the hub', async (token, services) => {
    const { get } = await listen()
    const { text } = await get(token)
    expect(servicesOn(text)).toEqual(services)
    expect(sampleOf(text, 'callboard_sessions')).toBe(3)
  })

  it('HEAD has the same head and no body', async () => {
    const { get } = await listen()
    const [whole, head] = [await get('all'), await get('all', 'HEAD')]
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', whole.headers['content-type']])
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)))
  })

  it.each(['POST', 'PUT', 'DELETE'])('%s is no way to read it', async (method) => {
    const { get } = await listen()
    expect(await get('all', method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })
})

describe('who is refused', () => {
  it('whoever shows no token, also where services are open to them, and is told how', async () => {
    const { get, reads } = await listen()
    const refused = await get()
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(refused.json).toEqual({
      success: false,
      error_code: 'UNAUTHORIZED',
      error: expect.stringMatching(/callboard token new prometheus.*credentials_file.*"http\.metrics" to "open"/),
    })
    expect(reads.count).toBe(0)
  })

  it('whoever shows a wrong token, or none that can be read', async () => {
    const { front, get } = await listen()
    expect((await get('guessed')).status).toBe(401)
    expect((await front.send('GET', '/metrics', { authorization: 'Basic YTpi' })).status).toBe(401)
  })

  it('a browser that was led to us under another name', async () => {
    const { front } = await listen({ isOpen: true })
    expect((await front.send('GET', '/metrics', { host: 'evil.example' })).status).toBe(403)
  })
})

describe('where metrics are open', () => {
  it('everybody sees all, with and without a token', async () => {
    const { get } = await listen({ isOpen: true })
    for (const token of [undefined, 'guessed', 'some.social']) {
      const { status, text } = await get(token)
      expect([status, servicesOn(text)]).toEqual([200, ['kernel', 'social']])
    }
    expect((await get(undefined, 'POST')).status).toBe(405)
    expect(await get(undefined, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })
})

it('is not there where nobody gives the numbers', async () => {
  const front = await TestFront.listen()
  expect((await front.send('GET', '/metrics', bearer('good'))).status).toBe(404)
})

it('is read once for many who ask at once, whatever they may see', async () => {
  const { get, reads } = await listen()
  const tokens = Array.from({ length: pagesKeptMax + 4 }, (_, index) => `some.social.other-${index}`)
  const pages = await Promise.all([...tokens, ...tokens, 'some.kernel'].map((token) => get(token)))
  expect(pages.slice(0, -1).map(({ text }) => servicesOn(text))).toEqual([...tokens, ...tokens].map(() => ['social']))
  expect(servicesOn(pages.at(-1)!.text)).toEqual(['kernel'])
  expect(reads.count).toBeLessThan(pages.length)
})
