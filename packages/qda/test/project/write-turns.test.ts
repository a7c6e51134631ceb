import { VirtualClock } from '@callboard/worker/testing'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { RolledBack, WriteTurns } from '../../src/project/write-turns.js'
import { openDatabase, writerIn } from '../support/open-database.js'

const eventLoop = () => new Promise((resolve) => setImmediate(resolve))

/** Time goes on until it is settled. */
async function passing<Value>(clock: VirtualClock, work: Promise<Value>): Promise<Value> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  work.then(settled, settled)
  while (!isSettled) {
    await eventLoop()
    clock.advance(100)
  }
  return work
}

const names = (db: ReturnType<typeof openDatabase>) =>
  db.all<{ name: string }>('SELECT name FROM main.code_name ORDER BY cid').map(({ name }) => name)

describe('write turns', () => {
  it('take everything back in both files when the body fails', async () => {
    const db = openDatabase()
    const turns = new WriteTurns(db, new VirtualClock())
    const failing = turns.transaction(() => {
      writerIn(db).insert('code_name', { name: 'Pride' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(names(db)).toEqual([])
    expect(db.value('SELECT count(*) FROM side.change')).toBe(0)
  })

  it('take everything back on purpose, and give a value all the same', async () => {
    const db = openDatabase()
    const turns = new WriteTurns(db, new VirtualClock())
    const value = await turns.transaction(() => {
      writerIn(db).insert('code_name', { name: 'Pride' })
      throw new RolledBack(names(db))
    })
    expect(value).toEqual(['Pride'])
    expect(names(db)).toEqual([])
  })

  it('come one after the other', async () => {
    const db = openDatabase()
    const turns = new WriteTurns(db, new VirtualClock())
    const order: string[] = []
    const first = turns.alone(async () => {
      await Promise.resolve()
      order.push('first')
    })
    const second = turns.transaction(() => order.push('second'))
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second'])
  })

  it('wait for another program that writes, then go on', async () => {
    const db = openDatabase()
    const clock = new VirtualClock()
    const other = new Database(db.connection.name)
    other.exec('BEGIN IMMEDIATE')
    const waiting = new WriteTurns(db, clock).transaction(() => writerIn(db).insert('code_name', { name: 'Pride' }))
    await eventLoop()
    expect(names(db)).toEqual([])
    other.exec('COMMIT')
    await passing(clock, waiting)
    expect(names(db)).toEqual(['Pride'])
  })

  it('say that the project is busy after five seconds, and nothing was changed', async () => {
    const db = openDatabase()
    const clock = new VirtualClock()
    const other = new Database(db.connection.name)
    other.exec('BEGIN IMMEDIATE')
    const waiting = new WriteTurns(db, clock).transaction(() => writerIn(db).insert('code_name', { name: 'Pride' }))
    await expect(passing(clock, waiting)).rejects.toMatchObject({ code: 'PROJECT_BUSY' })
    other.exec('COMMIT')
    expect(names(db)).toEqual([])
  })
})
