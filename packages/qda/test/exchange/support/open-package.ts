import { buffer, text } from 'node:stream/consumers'
import { RefiPackage } from '../../../src/refi/read-package.js'
import { ZipEntries } from '../../../src/refi/zip-entries.js'

/** The document of a package, as text with an element on each line. */
export async function documentOf(path: string): Promise<string> {
  const entries = await ZipEntries.open(path)
  try {
    return (await text(await entries.openEntry(entries.find('project.qde')!))).replaceAll('><', '>\n<')
  } finally {
    entries.close()
  }
}

/** A file of a package, byte by byte. */
export async function fileOf(path: string, name: string): Promise<Buffer> {
  const entries = await ZipEntries.open(path)
  try {
    return await buffer(await entries.openEntry(entries.find(name)!))
  } finally {
    entries.close()
  }
}

/** Its model, and its texts by the names of their sources. */
export async function modelOf(path: string) {
  const pack = await RefiPackage.open(path)
  try {
    const texts = new Map<string, string>()
    for (const source of pack.project.sources) {
      if (source.kind !== 'text' || source.content?.kind !== 'file') continue
      const read = await pack.readText(source.content.path)
      texts.set(source.name ?? '', read.kind === 'text' ? read.text : `unreadable: ${read.what}`)
    }
    return { project: pack.project, texts, losses: pack.losses }
  } finally {
    pack.close()
  }
}
