import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { changeTokens, readTokens, TokenFileError, type TokenRecord, tokenFileIn } from '../src/token-file.js'
import { TokenTable } from '../src/token-table.js'
import { temporaryDirectory } from './temporary.js'

const hash = (digit: string) => digit.repeat(64)
const ada: TokenRecord = { id: 'tok:0000000a', name: 'ada', hash: hash('a'), roles: ['agent'], createdAt: 0 }
const bob: TokenRecord = { ...ada, id: 'tok:0000000b', name: 'bob', hash: hash('b'), expiresAt: 1_000 }

async function table() {
  const directory = await temporaryDirectory()
  const clock = { now: 0 }
  const set = (...tokens: TokenRecord[]) => changeTokens(directory, () => tokens)
  return { directory, clock, set, table: new TokenTable(directory, () => clock.now) }
}

it('sees at once what another program has written', async () => {
  const { set, table: tokens } = await table()
  expect([tokens.find(hash('a')), tokens.hasTokens('ada')]).toEqual([undefined, false])
  await set(ada)
  expect([tokens.find(hash('a')), tokens.hasTokens('ada')]).toEqual([ada, true])
  await set()
  expect([tokens.find(hash('a')), tokens.hasTokens('ada')]).toEqual([undefined, false])
})

it('knows a token until its time, and that its agent had one after it', async () => {
  const { set, clock, table: tokens } = await table()
  await set(bob)
  clock.now = 999
  expect(tokens.find(hash('b'))).toEqual(bob)
  clock.now = 1_000
  expect(tokens.find(hash('b'))).toBeUndefined()
  expect(tokens.hasTokens('bob')).toBe(true)
})

it('lets nobody in by a token that is revoked, and knows that its agent had one', async () => {
  const { set, table: tokens } = await table()
  await set(ada)
  tokens.find(hash('a'))
  await set({ ...ada, revokedAt: 1 })
  expect(tokens.takeEnded()).toEqual([ada.id])
  expect([tokens.find(hash('a')), tokens.hasTokens('ada')]).toEqual([undefined, true])
})

it('tells once of each token that was shown and has ended', async () => {
  const { set, clock, directory, table: tokens } = await table()
  await set(ada, bob, { ...ada, id: 'tok:0000000c', hash: hash('c') })
  for (const digit of 'ab') tokens.find(hash(digit))
  expect(tokens.takeEnded()).toEqual([])
  clock.now = 1_000
  expect(tokens.takeEnded()).toEqual([bob.id])
  await rm(tokenFileIn(directory))
  expect(tokens.takeEnded()).toEqual([ada.id])
  expect(tokens.takeEnded()).toEqual([])
})

it('lets nobody in while the file is broken, and takes nobody for revoked', async () => {
  const { set, directory, table: tokens } = await table()
  await set(ada)
  tokens.find(hash('a'))
  await writeFile(tokenFileIn(directory), 'broken')
  for (const ask of [() => tokens.find(hash('a')), () => tokens.hasTokens('bob'), () => tokens.takeEnded()]) {
    expect(ask).toThrow(TokenFileError)
  }
  await rm(tokenFileIn(directory))
  expect(tokens.takeEnded()).toEqual([ada.id])
})

it('does not begin with a broken file', async () => {
  const { directory } = await table()
  await writeFile(tokenFileIn(directory), '{}')
  expect(() => new TokenTable(directory, () => 0)).toThrow(tokenFileIn(directory))
})

it.each<[what: string, make: (file: string) => unknown]>([
  ['a directory', (file) => mkdir(file)],
  // Who opened it would wait for ever.
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
])('takes %s for no token file', async (_, make) => {
  const { set, directory, table: tokens } = await table()
  await set(ada)
  tokens.find(hash('a'))
  await rm(tokenFileIn(directory))
  await make(tokenFileIn(directory))
  expect(() => tokens.find(hash('a'))).toThrow(TokenFileError)
  expect(() => tokens.takeEnded()).toThrow(TokenFileError)
  await expect(readTokens(directory)).rejects.toThrow(TokenFileError)
})
