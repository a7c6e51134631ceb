// A worker with a Jupyter kernel in a process of its own, to be killed. Built code, like doomed-worker.js.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { JupyterRuntime } from '../../dist/runtime/jupyter/jupyter-runtime.js'

const fakeKernel = fileURLToPath(new URL('fake-kernel.js', import.meta.url))
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
  limits: { memoryBytes: 2 ** 32, fileBytes: 2 ** 32, openFiles: 1024, coreBytes: 0 },
  onOutput: () => {},
  onDisplay: () => {},
  onRequest: () => {},
  onNotice: () => {},
})
process.stdout.write(`${runtime.pid}\n`)
// The end of the input is the end of the test run.
process.stdin.resume().on('end', () => process.exit())
