// Writes notes into the journal of the directory that it is given, as fast as they are taken, until it is killed.

import { openJournal } from '../../dist/audit/audit-journal.js'
import { createHubLog } from '../../dist/hub-log.js'

const [directory, fileBytes] = process.argv.slice(2)
const config = {
  directory,
  fileBytes: Number(fileBytes),
  keepFiles: 1000,
  arguments: 'hash',
  onFailure: 'refuse',
  secrets: [],
}
const log = createHubLog('silent', process.stderr)
const journal = await openJournal({ config, version: '1', log, secrets: [], now: Date.now })
let serial = 0
setInterval(() => {
  for (let index = 0; index < 20; index++) journal.note('tested', { serial: ++serial, filler: 'x'.repeat(200) })
  process.stdout.write(`${journal.refuses() ? 'refuses' : journal.counts.lines}\n`)
}, 1)
