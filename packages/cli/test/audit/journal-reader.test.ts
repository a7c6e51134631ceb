import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { JournalReader } from '../../src/audit/journal-reader.js'
import { Journal } from './journals.js'

let journal: Journal
let reader: JournalReader
beforeEach(async () => {
  journal = await Journal.begin()
  reader = new JournalReader(journal.directory)
})

/** Of the lines that are new since the last time, what they are about. */
async function fresh(): Promise<string[]> {
  const lines: string[] = []
  await reader.readOn((line) => void lines.push(line))
  return lines.map((line) => JSON.parse(line)).map(({ kind, tool, file }) => tool ?? `${kind} ${file.slice(-7, -6)}`)
}

describe('whoever reads a journal on', () => {
  it('gets each line once, over all its files', async () => {
    await journal.calls('a', 'b')
    await journal.calls('c')
    expect(await fresh()).toEqual(['file 1', 'a', 'b', 'file 2', 'c'])
    expect(await fresh()).toEqual([])
    await journal.calls('d')
    await journal.calls('e')
    expect(await fresh()).toEqual(['file 3', 'd', 'file 4', 'e'])
  })

  it('gets what was written to a file after it was read, and then the next file', async () => {
    await journal.calls('a')
    await fresh()
    await appendFile(journal.path(1), '{"tool":"late"}\n')
    await journal.calls('b')
    expect(await fresh()).toEqual(['late', 'file 2', 'b'])
  })

  it('gets a line when it is whole', async () => {
    await journal.calls('a')
    await fresh()
    await appendFile(journal.path(1), '{"tool":')
    expect(await fresh()).toEqual([])
    await appendFile(journal.path(1), '"b"}\n{"tool":"c"}\n{"to')
    expect(await fresh()).toEqual(['b', 'c'])
    await appendFile(journal.path(1), 'ol":"d"}\n')
    expect(await fresh()).toEqual(['d'])
  })

  it('gets lines that are longer than what is read at once', async () => {
    const long = JSON.stringify({ tool: 'ä'.repeat(400_000) })
    await journal.calls('a')
    await appendFile(journal.path(1), `${long}\n${long}\n{"tool":"b"}\n`)
    const [, , one, other, last] = await fresh()
    expect([one?.length, other, last]).toEqual([400_000, one, 'b'])
  })

  it('keeps no memory of what never becomes a line', async () => {
    await writeFile(journal.path(1), `${'x'.repeat(5 * 1024 * 1024)}`)
    expect(await fresh()).toEqual([])
    await appendFile(journal.path(1), `\n{"tool":"b"}\n`)
    const lines: string[] = []
    await reader.readOn((line) => void lines.push(line))
    expect(lines.at(-1)).toBe('{"tool":"b"}')
    expect(lines.join('').length).toBeLessThan(2 * 1024 * 1024 + 100)
  })

  it('goes on behind files that the hub has removed', async () => {
    await journal.calls('a')
    await journal.calls('b')
    await fresh()
    await journal.calls('c')
    await rm(journal.path(1))
    await rm(journal.path(2))
    expect(await fresh()).toEqual(['file 3', 'c'])
    expect(await readFile(journal.path(3), 'utf8')).toContain('"tool":"c"')
  })
})
