#!/usr/bin/env node
import { programFile } from './program-file.js'

try {
  const { main } = await import(programFile())
  await main(process.argv.slice(2))
} catch (error) {
  const isUnbuilt = error?.code === 'ERR_MODULE_NOT_FOUND' && /[/\\]dist[/\\]/.test(error.message)
  if (!isUnbuilt) throw error
  process.stderr.write('callboard: this checkout is not built: run "npm ci" or "npm run build" first.\n')
  process.exitCode = 2
}
