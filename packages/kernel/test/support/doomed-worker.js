// A worker in a process of its own, to be killed. Built code: Node 20 cannot run TypeScript. `npm test` builds first.
import { tmpdir } from 'node:os'
import { KernelProcess } from '../../dist/runtime/python/kernel-process.js'

let output = ''
let told = false
const kernel = await KernelProcess.start({
  python: 'python3',
  workingDirectory: tmpdir(),
  limits: { memoryBytes: 2 ** 32, fileBytes: 2 ** 32, openFiles: 1024, coreBytes: 0 },
  outputToken: 'token',
  onMessage: () => {},
  onOutput: (_stream, chunk) => {
    output += chunk
    if (output.includes('in\n') && !told) process.stdout.write(`${kernel.pid}\n`)
    told = output.includes('in\n')
  },
})
kernel.send({ type: 'execute', run: 1, code: process.argv[2], resultMode: 'last' })
// The end of the input is the end of the test run.
process.stdin.resume().on('end', () => process.exit())
