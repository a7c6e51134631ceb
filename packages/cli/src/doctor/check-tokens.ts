import { lstatSync } from 'node:fs'
import { hasEnded, readTokens, secretFiles, tokenFileIn } from '@callboard/hub'
import { type Finding, note, ok, problem } from './finding.js'

/** The token file, and whether what is secret is so. */
export async function checkTokens(dataDirectory: string, now: number): Promise<Finding[]> {
  const files = [tokenFileIn(dataDirectory), ...Object.values(secretFiles(dataDirectory))]
  return [...files.flatMap(checkSecret), ...(await checkTokenFile(dataDirectory, now))]
}

function checkSecret(file: string): Finding[] {
  try {
    const status = lstatSync(file, { throwIfNoEntry: false })
    if (status === undefined || (status.mode & 0o077) === 0) return []
    return [problem('secrets', `${file} is open to other users`, `run chmod 600 ${file}`)]
  } catch {
    // The directory is looked at elsewhere.
    return []
  }
}

async function checkTokenFile(dataDirectory: string, now: number): Promise<Finding[]> {
  try {
    const tokens = await readTokens(dataDirectory)
    // What is revoked is as its operator wants it.
    const meant = tokens.filter(({ revokedAt }) => revokedAt === undefined)
    const over = meant.filter((token) => hasEnded(token, now))
    const good = `${meant.length - over.length} good`
    if (over.length === 0) return tokens.length === 0 ? [] : [ok('tokens', good)]
    const named = over.map(({ id, name }) => `${id} of ${name}`).join(', ')
    return [
      note('tokens', `${good}, ${over.length} over: ${named}`, 'run "callboard token revoke" for what nobody needs'),
    ]
  } catch (error) {
    return [problem('tokens', (error as Error).message, 'correct the file, or remove it and make new tokens')]
  }
}
