import { expect, test } from 'vitest'
import { adminKey, json, serveWeb, text, until, userKey } from './web.js'

test('clients of one forum and credential share its limits, whoever asked for them', async () => {
  await using web = await serveWeb(json({}))
  for (let index = 0; index < 20; index += 1) await web.client(userKey).get('/x', [], web.scope)
  await expect(web.client(userKey).get('/x', [], web.scope)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('many forums do not make a limit forgotten that still holds', async () => {
  await using web = await serveWeb([text('Slow down', 429, { 'retry-after': '3600' }), json({})])
  const scope = () => ({ ...web.scope, deadline: web.clock.now() + 60_000 })
  await expect(web.client().get('/x', [], scope())).rejects.toMatchObject({ details: { retry_after_s: 3_600 } })
  for (let index = 0; index < 250; index += 1) {
    await web.client(adminKey, `/forum${index}`).get('/x', [], scope())
    web.clock.advance(10_000)
  }
  await expect(web.client().get('/x', [], scope())).rejects.toMatchObject({ details: { retry_after_s: 1_100 } })
  expect(web.requests.length).toBe(251)
})

test('a forum that is in use keeps its places, however many others are asked', async () => {
  let end = () => {}
  await using web = await serveWeb([(_, response) => (end = () => response.end('{}')), json({})], { concurrency: 1 })
  const slow = web.client().get('/slow', [], web.scope)
  await until(() => web.requests.length === 1)
  for (let index = 0; index < 250; index += 1) await web.client(adminKey, `/forum${index}`).get('/x', [], web.scope)
  const next = web.client().get('/next', [], web.scope)
  await web.client(adminKey, '/forum0').get('/y', [], web.scope)
  expect(web.requests.map(({ path }) => path)).not.toContain('/next')
  end()
  await Promise.all([slow, next])
  expect(web.requests.at(-1)?.path).toBe('/next')
})
