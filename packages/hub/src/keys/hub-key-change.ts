import { readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../replace-file.js'
import { hubKeyFileIn, KeyFileError, type KeyPair, loadHubKey, makeKeyFile, readKeyFile } from './key-files.js'

/** Prepared, so that workers can be told of it before it is in force. */
export const nextHubKeyFileIn = (dataDirectory: string): string => join(dataDirectory, 'hub.key.next')

/** The one before, for whoever has to go back. */
export const formerHubKeyFileIn = (dataDirectory: string): string => join(dataDirectory, 'hub.key.old')

/** The pair that is to follow the hub's, made now if there is none. @throws KeyFileError, StartError for the data directory */
export async function prepareHubKey(dataDirectory: string): Promise<KeyPair> {
  // There must be one that it follows.
  await loadHubKey(dataDirectory)
  return (await preparedHubKey(dataDirectory)) ?? makeKeyFile(nextHubKeyFileIn(dataDirectory), 'the hub')
}

/** Undefined: none is prepared. @throws KeyFileError */
export async function preparedHubKey(dataDirectory: string): Promise<KeyPair | undefined> {
  const file = nextHubKeyFileIn(dataDirectory)
  const isThere = await stat(file).catch(({ code }: NodeJS.ErrnoException) => code !== 'ENOENT')
  return isThere === false ? undefined : readKeyFile(file)
}

/** Puts the prepared pair into the hub's place, where the hub finds it at its next start. @throws KeyFileError */
export async function switchHubKey(dataDirectory: string): Promise<KeyPair> {
  const pair = await preparedHubKey(dataDirectory)
  if (pair === undefined) {
    throw new KeyFileError(
      'No key is prepared: run "callboard keys hub --new", and give all workers both keys before you switch.',
    )
  }
  const file = hubKeyFileIn(dataDirectory)
  try {
    // At every moment there is one in force; whatever ends this between the two, it can be done again.
    await replaceFile(formerHubKeyFileIn(dataDirectory), await readFile(file, 'utf8'))
    await rename(nextHubKeyFileIn(dataDirectory), file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new KeyFileError(`${file} can't be replaced (${code ?? error}): do it as the user that the hub runs as.`)
  }
  return pair
}
