// A hub in a process of its own, to be killed: runtime and data directory are argv[2] and argv[3], argv[4] where HTTP listens.
import { createHubLog, parseHubConfig, startHub } from '../../dist/index.js'

const [, , runtime, data, http = 'off'] = process.argv
const config = parseHubConfig({
  environment: { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: http, CALLBOARD_HTTP_OPEN: '*' },
})
/** Tells the test each line of the log. */
const log = createHubLog('info', { write: (line) => process.send?.(JSON.parse(line).msg) })
await startHub({ config, version: '0.0.0', log, expects: [] })
process.on('disconnect', () => process.exit())
