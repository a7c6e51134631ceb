// A hub in a process of its own that workers reach by key: runtime and data directory are argv[2] and argv[3]. Its log is its output.
import { createHubLog, parseHubConfig, startHub } from '../../dist/index.js'

const [, , runtime, data] = process.argv
const environment = {
  CALLBOARD_RUNTIME: runtime,
  CALLBOARD_DATA: data,
  CALLBOARD_HTTP: 'off',
  CALLBOARD_LISTEN: 'tcp://127.0.0.1:*',
}
const log = createHubLog('info', process.stdout)
await startHub({ config: parseHubConfig({ environment }), version: '0.0.0', log, expects: [] })
process.stdin.resume().on('end', () => process.exit())
