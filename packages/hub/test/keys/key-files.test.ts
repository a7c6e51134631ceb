import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  hubKeyFileIn,
  loadHubKey,
  makeKeyFile,
  newKeyPair,
  readKeyFile,
  readPublicKey,
} from '../../src/keys/key-files.js'
import { isKey } from '../../src/keys/public-key.js'
import { temporaryDirectory } from '../temporary.js'

const message = (work: Promise<unknown>) => work.then(() => undefined).catch((error: Error) => error.message)

describe('a key file', () => {
  it('is for its owner alone, in a directory for its owner alone, and says whose it is', async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, 'keys', 'lab.key')
    const { publicKey, secretKey } = await makeKeyFile(file, 'worker lab')
    expect([(await stat(file)).mode & 0o777, (await stat(join(directory, 'keys'))).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
    expect(await readFile(file, 'utf8')).toBe(
      `# Key of worker lab. Whoever has the secret is worker lab: it belongs on one machine.\npublic ${publicKey}\nsecret ${secretKey}\n`,
    )
    expect(await readKeyFile(file)).toEqual({ publicKey, secretKey })
    expect(await readPublicKey(file)).toBe(publicKey)
  })

  it('is never replaced', async () => {
    const file = join(await temporaryDirectory(), 'lab.key')
    const made = await makeKeyFile(file, 'worker lab')
    expect(await message(makeKeyFile(file, 'worker lab'))).toBe(
      `${file} is there already, and whoever has that key would be locked out by a new one: choose another file, or remove this one first.`,
    )
    expect(await readKeyFile(file)).toEqual(made)
  })

  it('is not used while others can read it', async () => {
    const file = join(await temporaryDirectory(), 'lab.key')
    await makeKeyFile(file, 'worker lab')
    await chmod(file, 0o640)
    expect(await message(readKeyFile(file))).toBe(`${file} is open to other users: run chmod 600 ${file}.`)
  })

  it.each([
    '',
    'public x',
    'public KEY',
    'public KEY\nsecret KEY\nsecret KEY',
    'private KEY',
    'public KEY KEY',
    '\0'.repeat(5_000),
  ])('has two lines with a key each, not %j', async (text) => {
    const file = join(await temporaryDirectory(), 'lab.key')
    await writeFile(file, text.replaceAll('KEY', newKeyPair().publicKey), { mode: 0o600 })
    expect(await message(readKeyFile(file))).toBe(
      `${file} is no key file, which has the lines public KEY and secret KEY: make one with "callboard keys new NAME".`,
    )
  })

  it('may be one of a public key alone, for who needs no more', async () => {
    const file = join(await temporaryDirectory(), 'lab.pub')
    const { publicKey } = newKeyPair()
    await writeFile(file, `${publicKey}\n`)
    expect(await readPublicKey(file)).toBe(publicKey)
    await rm(file)
    expect(await message(readPublicKey(file))).toContain('(ENOENT)')
  })
})

it("makes the hub's key once, however many ask for it at once", async () => {
  const directory = await temporaryDirectory()
  const pairs = await Promise.all(Array.from({ length: 5 }, () => loadHubKey(directory)))
  expect(new Set(pairs.map(({ publicKey }) => publicKey)).size).toBe(1)
  expect(await readKeyFile(hubKeyFileIn(directory))).toEqual(pairs[0])
})

it('takes for a key what is 32 bytes, whatever the characters', () => {
  expect(isKey(newKeyPair().publicKey)).toBe(true)
  expect(isKey(`%nSc0${'0'.repeat(35)}`)).toBe(true)
  for (const text of [
    '',
    '0'.repeat(39),
    '0'.repeat(41),
    `${'0'.repeat(39)} `,
    `${'0'.repeat(39)}"`,
    `%nSc1${'0'.repeat(35)}`,
  ]) {
    expect(isKey(text)).toBe(false)
  }
})
