import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { readEnvironment } from '../src/environment.js'

const own = curveKeyPair()
const hub = curveKeyPair().publicKey
const endpoint = 'tcp://hub.example:8766'
let directory: string
let file: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-keys-'))
  file = join(directory, 'worker.key')
  await writeFile(file, `# mine\npublic ${own.publicKey}\nsecret ${own.secretKey}\n`, { mode: 0o600 })
})

afterEach(() => rm(directory, { recursive: true }))

const read = (env: NodeJS.ProcessEnv) => readEnvironment({ CALLBOARD_HUB: endpoint, ...env })

describe('the keys of the environment', () => {
  test('are a file of its own and the key of the hub', () => {
    expect(read({ CALLBOARD_KEY_FILE: file, CALLBOARD_HUB_KEY: hub }).keys).toEqual({ ...own, hubKey: [hub] })
  })

  test('may have the key of the hub in a file, bare or as its line', async () => {
    const hubFile = join(directory, 'hub.pub')
    for (const text of [hub, `${hub}\n`, `# of the hub\npublic ${hub}\n`]) {
      await writeFile(hubFile, text)
      expect(read({ CALLBOARD_KEY_FILE: file, CALLBOARD_HUB_KEY_FILE: hubFile }).keys?.hubKey).toEqual([hub])
    }
  })

  test('may have several keys of the hub, with commas or in lines, each once', async () => {
    const [next, hubFile] = [curveKeyPair().publicKey, join(directory, 'hub.pub')]
    const named = (env: NodeJS.ProcessEnv) => read({ CALLBOARD_KEY_FILE: file, ...env }).keys?.hubKey
    expect(named({ CALLBOARD_HUB_KEY: `${next},${hub}, ${next}` })).toEqual([next, hub])
    await writeFile(hubFile, `# both\n${next}\n\npublic ${hub}\n`)
    expect(named({ CALLBOARD_HUB_KEY_FILE: hubFile })).toEqual([next, hub])
    const five = Array.from({ length: 5 }, () => curveKeyPair().publicKey)
    expect(named({ CALLBOARD_HUB_KEY: five.slice(0, 4).join() })).toHaveLength(4)
    expect(() => named({ CALLBOARD_HUB_KEY: five.join() })).toThrow(/CALLBOARD_HUB_KEY: has 5 keys: 4 at most/)
    expect(() => named({ CALLBOARD_HUB_KEY: `${hub},x` })).toThrow(/is no key of 40/)
  })

  test('are none where none are named, and then only this machine can be reached [CB-109]', () => {
    expect(readEnvironment({ CALLBOARD_HUB: 'tcp://127.0.0.1:5' }).keys).toBeUndefined()
    expect(() => read({})).toThrow(/CALLBOARD_HUB: tcp:\/\/hub.example:8766 is on another machine.*CALLBOARD_KEY_FILE/)
  })

  test.each([
    ['no key of the hub', () => ({ CALLBOARD_KEY_FILE: file }), /CALLBOARD_HUB_KEY: is missing.*callboard keys hub/],
    ['a key of the hub that is none', () => ({ CALLBOARD_KEY_FILE: file, CALLBOARD_HUB_KEY: 'x' }), /is no key of 40/],
    ['no key of its own', () => ({ CALLBOARD_HUB_KEY: hub }), /CALLBOARD_KEY_FILE: is missing/],
    [
      'a file that is not there',
      () => ({ CALLBOARD_KEY_FILE: '/nowhere', CALLBOARD_HUB_KEY: hub }),
      /KEY_FILE: there is no \/nowhere: make it/,
    ],
    [
      'a file under ~',
      () => ({ CALLBOARD_KEY_FILE: '~/a.key', CALLBOARD_HUB_KEY: hub }),
      /; ~ is not the home directory/,
    ],
  ])('with %s are told as a problem', (_, env, problem) => expect(() => read(env())).toThrow(problem))

  test('that others can read are refused, with the remedy, and the secret is not shown [CB-88]', async () => {
    await chmod(file, 0o640)
    const env = { CALLBOARD_KEY_FILE: file, CALLBOARD_HUB_KEY: hub }
    expect(() => read(env)).toThrow(/other users can read .*chmod 600/)
    await chmod(file, 0o600)
    await writeFile(file, `public ${own.publicKey}\nsecret ${own.secretKey}x\n`)
    expect(() => read(env)).toThrow(/is no key file/)
    expect(() => read(env)).not.toThrow(own.secretKey)
  })
})
