import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fakeHub, statusOf, workerOf } from '../support/fake-hub.js'
import { Installation } from '../support/installation.js'

function withSecret(): Installation {
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(join(installation.data, 'operator.secret'), 'the-secret\n', { mode: 0o600 })
  return installation
}

/** Workers a1 and a2 of a, b1 of b; whoever is asked to leave is gone. Service c has no worker now. */
function obedientHub(installation: Installation) {
  let workers = [workerOf('a', 'a1'), workerOf('a', 'a2'), workerOf('b', 'b1')]
  const services = ['a', 'b', 'c'].map((service) => ({ service, version: '1', tools: [], isServed: service !== 'c' }))
  Object.assign(services[2]!, { away: { since: Date.UTC(2026, 10, 20, 17), keptUntil: Date.UTC(2026, 10, 27, 17) } })
  return fakeHub(installation, ({ command, service, instance }) => {
    if (command === 'snapshot') return { result: statusOf({ workers, services }) }
    workers = workers.filter((each) => each.service !== service && each.instance !== instance)
    return { result: { ok: true } }
  })
}

describe('callboard drain', () => {
  it('asks all workers of a service, with the operator secret', async () => {
    const installation = withSecret()
    const heard = await obedientHub(installation)
    expect(await installation.run(['drain', 'a', '--timeout', '1.5'])).toEqual({
      code: 0,
      stdout: 'Drained a (instance a1).\nDrained a (instance a2).\n',
      stderr: '',
    })
    expect(heard).toEqual([{ command: 'drain', service: 'a', drainMs: 1_500, token: 'the-secret' }])
  })

  it('asks one worker by its instance', async () => {
    const installation = withSecret()
    const heard = await obedientHub(installation)
    const { code, stdout } = await installation.run(['drain', 'a2', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ drained: [{ service: 'a', instance: 'a2' }], left: [] })
    expect(heard).toEqual([{ command: 'drain', instance: 'a2', drainMs: 30_000, token: 'the-secret' }])
  })

  it('says so where nobody is signed in', async () => {
    const installation = withSecret()
    await obedientHub(installation)
    expect(await installation.run(['drain', 'c'])).toMatchObject({
      code: 0,
      stdout:
        'No worker of c is signed in: it is away since 2026-11-20T17:00Z; "callboard forget c" frees its names.\n',
    })
  })

  it('names who is still there when the time is over', async () => {
    const installation = withSecret()
    await fakeHub(installation, ({ command }) => ({
      result: command === 'snapshot' ? statusOf({ workers: [workerOf('a', 'a1')] }) : { ok: true },
    }))
    const { code, stderr } = await installation.run(['drain', 'a', '--timeout', '0.01'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'callboard: Asked to leave and still there: a (instance a1); end what hangs.\n',
    })
  })

  describe('--rolling', () => {
    /** Of workers that leave a successor when one of them goes, but the instance that `barren` names. */
    function renewingHub(installation: Installation, barren = '') {
      let workers = [workerOf('a', 'a1'), workerOf('a', 'a2'), workerOf('b', 'b1')]
      return fakeHub(installation, ({ command, instance }) => {
        if (command === 'snapshot') return { result: statusOf({ workers }) }
        const successor = workerOf('a', `new-${instance}`)
        workers = [...workers.filter((each) => each.instance !== instance), ...(instance === barren ? [] : [successor])]
        return { result: { ok: true } }
      })
    }

    it('asks one worker after the other, each when the one before has a successor', async () => {
      const installation = withSecret()
      const heard = await renewingHub(installation)
      expect(await installation.run(['drain', 'a', '--rolling'])).toEqual({
        code: 0,
        stdout: 'Replaced a (instance a1) by new-a1.\nReplaced a (instance a2) by new-a2.\n',
        stderr: '',
      })
      expect(heard.map((each) => (each as { instance?: string }).instance)).toEqual(['a1', 'a2'])
    })

    it('says who came for whom as JSON', async () => {
      const installation = withSecret()
      await renewingHub(installation)
      const { stdout } = await installation.run(['drain', 'a2', '--rolling', '--json'])
      expect(JSON.parse(stdout)).toEqual({ replaced: [{ service: 'a', instance: 'a2', by: 'new-a2' }] })
    })

    it('finds the successor of one that left before its turn', async () => {
      const installation = withSecret()
      let workers = [workerOf('a', 'a1'), workerOf('a', 'a2')]
      await fakeHub(installation, ({ command, instance }) => {
        if (command === 'snapshot') return { result: statusOf({ workers }) }
        // As if a2 had crashed while a1 was being drained, and both were started again.
        if (instance === 'a1') workers = [workerOf('a', 'new-1'), workerOf('a', 'new-2')]
        return { result: { ok: true } }
      })
      expect(await installation.run(['drain', 'a', '--rolling'])).toEqual({
        code: 0,
        stdout: 'Replaced a (instance a1) by new-1.\nReplaced a (instance a2) by new-2.\n',
        stderr: '',
      })
    })

    it('leaves the others alone when one does not leave', async () => {
      const installation = withSecret()
      const workers = [workerOf('a', 'a1'), workerOf('a', 'a2')]
      const heard = await fakeHub(installation, ({ command }) => ({
        result: command === 'snapshot' ? statusOf({ workers }) : { ok: true },
      }))
      const { code, stderr } = await installation.run(['drain', 'a', '--rolling', '--timeout', '0.01'])
      const why =
        /^callboard: Asked to leave and still there: a \(instance a1\); end what hangs\. 1 of its workers were not asked\.\n$/
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) })
      expect(heard).toHaveLength(1)
    })
  })

  it('suggests the nearest name', async () => {
    const installation = withSecret()
    await fakeHub(installation, () => ({ result: statusOf({ workers: [workerOf('kernel', 'k-17')] }) }))
    expect(await installation.run(['drain', 'kernl'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'callboard: There is no service or worker instance kernl (did you mean kernel?): "callboard ls" lists them all.\n',
    })
  })

  it('has limits, and needs a hub', async () => {
    const installation = withSecret()
    expect(await installation.run(['drain', 'a', '--timeout', '3601'])).toMatchObject({
      code: 2,
      stderr: 'callboard: --timeout must be at most 3600 seconds.\n',
    })
    expect(await installation.run(['drain', 'a'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^callboard: No hub is running in .*: start one with "callboard up"\.\n$/),
    })
  })
})

describe.each([['down'], ['drain', 'a'], ['forget', 'a']])('the operator secret: callboard %s', (...words) => {
  const forbidding = (installation: Installation) =>
    fakeHub(installation, ({ command }) =>
      command === 'snapshot'
        ? { result: statusOf({ workers: [workerOf('a', 'a1')] }) }
        : { error: { code: 'forbidden', message: 'no' } },
    )

  it('is in the data directory', async () => {
    const installation = new Installation()
    const heard = await forbidding(installation)
    const { code, stderr } = await installation.run(words)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^callboard: The operator secret .*operator\.secret can't be read \(ENOENT\): set CALL.*\.\n$/,
    )
    expect(heard).toEqual([])
  })

  it('may be another hub’s', async () => {
    const installation = withSecret()
    await forbidding(installation)
    expect(await installation.run(words)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'callboard: This hub has another operator secret: set CALLBOARD_DATA to its data directory or CALLBOARD_TOKEN to its operator secret.\n',
    })
  })

  it('is taken from CALLBOARD_TOKEN first', async () => {
    const installation = withSecret()
    const heard = await forbidding(installation)
    const { code, stderr } = await installation.run(words, { CALLBOARD_TOKEN: 'given' })
    expect(heard).toMatchObject([{ command: words[0], token: 'given' }])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^callboard: This hub has another operator secret than CALLBOARD_TOKEN: .*\n$/)
  })
})
