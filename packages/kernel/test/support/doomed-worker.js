// A worker in a process of its own, to be killed. Built code: Node 20 cannot run TypeScript. `npm test` builds first.
import { tmpdir } from 'node:os'
import { parseKernelConfig } from '../../dist/config.js'
import { containPython } from '../../dist/runtime/python/contain-python.js'
import { KernelProcess } from '../../dist/runtime/python/kernel-process.js'

let output = ''
let told = false
const config = parseKernelConfig({ sandbox: process.argv[3] ?? 'off' })
const kernel = await KernelProcess.start({
  python: config.python,
  workingDirectory: tmpdir(),
  outputToken: 'token',
  limits: config.limits,
  containment: containPython(config, []),
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
