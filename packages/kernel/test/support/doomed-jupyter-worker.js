// A worker with a Jupyter kernel in a process of its own, to be killed. Built code, like doomed-worker.js.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseKernelConfig } from '../../dist/config.js'
import { JupyterRuntime } from '../../dist/runtime/jupyter/jupyter-runtime.js'
import { containPython } from '../../dist/runtime/python/contain-python.js'

const fakeKernel = fileURLToPath(new URL('fake-kernel.js', import.meta.url))
const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const sandbox = process.argv[2] ?? 'off'
const config = parseKernelConfig({ sandbox, sandboxPaths: { readable: [repository] } })
const runtime = await JupyterRuntime.start({
  spec: {
    name: 'fake',
    directory: tmpdir(),
    argv: [process.execPath, fakeKernel, '{connection_file}'],
    displayName: 'Fake',
    language: 'fake',
    interruptMode: 'signal',
    env: {},
  },
  python: 'python3',
  workingDirectory: tmpdir(),
  limits: config.limits,
  containment: containPython(config, []),
  onOutput: () => {},
  onDisplay: () => {},
  onRequest: () => {},
  onNotice: () => {},
})
process.stdout.write(`${runtime.pid}\n`)
// The end of the input is the end of the test run.
process.stdin.resume().on('end', () => process.exit())
