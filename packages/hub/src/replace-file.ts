import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/** Readers see the file before or after, and what is in it outlives a crash of the machine: a revocation must not come back. */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeWhole(draft, text, mode)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.chmod(mode)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
