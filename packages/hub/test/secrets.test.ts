import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { loadLocalToken, loadSecrets, secretFiles } from '../src/secrets.js'
import { StartError } from '../src/start-error.js'
import { temporaryDirectory } from './temporary.js'

describe('secrets', () => {
  it('are made at the first start, one unlike the other, for their owner only', async () => {
    const directory = await temporaryDirectory()
    const { signIn, operator, session, local, signInFile } = await loadSecrets(directory)
    expect(new Set([signIn, operator, session, local]).size).toBe(4)
    for (const secret of [signIn, operator, session, local]) expect(secret).toMatch(/^[\w-]{43}$/)
    for (const file of Object.values(secretFiles(directory))) expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readFile(signInFile, 'utf8')).trim()).toBe(signIn)
    expect(await readdir(directory)).toHaveLength(4)
  })

  it('of which one has a key made of it, which shows nothing of it', async () => {
    const { session, sessionSeal } = await loadSecrets(await temporaryDirectory())
    const other = await loadSecrets(await temporaryDirectory())
    expect(sessionSeal).toHaveLength(32)
    expect(sessionSeal).not.toEqual(other.sessionSeal)
    expect(Buffer.from(sessionSeal).toString('base64url')).not.toBe(session)
  })

  it('of which the local token may be there before the first start', async () => {
    const directory = `${await temporaryDirectory()}/data`
    const token = await loadLocalToken(directory)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect((await loadSecrets(directory)).local).toBe(token)
    await chmod(directory, 0o755)
    await expect(loadLocalToken(directory)).rejects.toThrow(StartError)
  })

  it('are the same at the next start', async () => {
    const directory = await temporaryDirectory()
    expect(await loadSecrets(directory)).toEqual(await loadSecrets(directory))
  })

  it('are made anew where a file holds half of one', async () => {
    const directory = await temporaryDirectory()
    const { operator } = secretFiles(directory)
    await writeFile(operator, 'half')
    const secrets = await loadSecrets(directory)
    expect(secrets.operator).toHaveLength(43)
    expect((await readFile(operator, 'utf8')).trim()).toBe(secrets.operator)
    expect((await stat(operator)).mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toHaveLength(4)
  })

  it('are the same for all that start at once', async () => {
    const directory = await temporaryDirectory()
    const all = await Promise.all(Array.from({ length: 8 }, () => loadSecrets(directory)))
    for (const secrets of all) expect(secrets).toEqual(all[0])
    expect(await loadSecrets(directory)).toEqual(all[0])
    expect(await readdir(directory)).toHaveLength(4)
  })

  it('that cannot be made end the start with what to do about it', async () => {
    const missing = `${await temporaryDirectory()}/missing`
    await expect(loadSecrets(missing)).rejects.toThrow(StartError)
    await expect(loadSecrets(missing)).rejects.toThrow(/CALLBOARD_DATA/)
  })

  it.runIf(process.getuid?.() !== 0)('that cannot be read do, too', async () => {
    const directory = await temporaryDirectory()
    await loadSecrets(directory)
    await chmod(secretFiles(directory).session, 0)
    await expect(loadSecrets(directory)).rejects.toThrow(StartError)
  })
})
