import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Joins what the command line and the hub are made of into few files: an MCP client waits for its first answer until some 340
 * modules are loaded, and half of that time goes into finding and opening them. What runs is chosen by
 * packages/cli/bin/program-file.js, which looks whether anything was built after this.
 */
const checkout = fileURLToPath(new URL('../..', import.meta.url))
const program = join(checkout, 'packages', 'cli')
const folder = join(program, 'bundle')

/** With a native part, or one that looks for its own files. The workers are loaded by their own processes only. */
const apart = [/^@callboard\/(?!hub$|protocol|worker|[a-z]+\/config$)/, 'zeromq', 'pino', 'commander']

const madeAt = Date.now()
rmSync(folder, { recursive: true, force: true })
const bundle = await rolldown({ input: join(program, 'dist', 'main.js'), platform: 'node', external: apart })
await bundle.write({ dir: folder, format: 'esm' })
await bundle.close()
// Last: without it the folder is no bundle.
writeFileSync(join(folder, 'made-of.json'), `${JSON.stringify({ madeAt, of: buildMarks() })}\n`)

/** The compiler leaves one in each package that it has built, relative to the bundle. */
function buildMarks(): string[] {
  const packages = readdirSync(join(checkout, 'packages')).map((name) => join('packages', name))
  return ['protocol', ...packages].map((path) => relative(folder, join(checkout, path, 'tsconfig.tsbuildinfo')))
}
