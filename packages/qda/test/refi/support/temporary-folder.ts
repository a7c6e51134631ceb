import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'refi-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function temporaryFile(content: Buffer): Promise<string> {
  const path = join(await temporaryFolder(), 'package.qdpx')
  await writeFile(path, content)
  return path
}
