// Writes journals without end, in transactions of many rows, until it is killed: `node write-journals.mjs <project>`.
import { systemClock } from '@callboard/worker/clock'
import { finishChangeSet } from '../../dist/changes/change-sets.js'
import { Writer } from '../../dist/changes/writer.js'
import { OpenProject } from '../../dist/project/open-project.js'

// More than SQLite keeps in memory: it writes to both files before it commits.
const rowsPerBatch = 800

const project = await OpenProject.open(process.argv[2], 'Study', systemClock)
for (let batch = 1; ; batch += 1) {
  await project.writes.transaction(() => {
    const writer = new Writer(project.db, {
      changeSetId: `set-${process.pid}-${batch}`,
      tool: 'add_journal',
      actor: 'agent:main',
      coder: 'AI Agent (main)',
      now: batch,
      date: '2026-03-02 12:00:00',
    })
    for (let row = 0; row < rowsPerBatch; row += 1) {
      writer.insert('journal', { name: `${process.pid}-${batch}-${row}`, jentry: 'x'.repeat(4_000) })
      writer.insert('folder', { name: `${process.pid}-${batch}-${row}`, parent_id: null, created_at: 1 })
      // Each some rows later than the one before, so that whoever listens can kill it anywhere.
      if (row % 100 === 0) process.stdout.write('.')
    }
    // Pages that are there already change, too: half of a batch would show.
    const state = process.pid * 1_000 + batch
    project.db.run('UPDATE main.journal SET owner = ?', String(state))
    process.stdout.write('u')
    project.db.run('UPDATE side.folder SET parent_id = ?', state)
    process.stdout.write('u')
    finishChangeSet(writer, 'session')
    process.stdout.write('c')
  })
  process.stdout.write('!')
}
