import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { parseKernelConfig } from '../../src/config.js'
import { Sandbox } from '../../src/isolation/sandbox.js'

const sandbox = await Sandbox.open({
  config: parseKernelConfig({}).sandbox,
  maskedPaths: [],
  trial: { argv: ['/bin/sh', '-c', ':'] },
})

/** Why tests of the sandbox are left out here; undefined where it works. */
export const noSandbox = sandbox.kind === 'none' ? sandbox.description : undefined

/** The interpreter itself, not a script that finds it. */
export const realPython = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
  cwd: tmpdir(),
}).trim()

/** Processes of this machine whose command line holds the text. */
export function processesWith(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(text) && !line.startsWith('Z'))
}

/** Sets variables of this process until disposed. */
export function withEnvironment(variables: { readonly [name: string]: string }): Disposable {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    },
  }
}
