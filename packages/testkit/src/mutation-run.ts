import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutants.js'
import type { Provocation } from './provocation.js'

/** What became of one mutant. */
export interface MutantFate {
  readonly mutant: Mutant
  /** Seeds until the first that failed; undefined: none did. */
  readonly foundAfter: number | undefined
  /** What that seed failed with. */
  readonly message: string
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const copied = { protocol: 'protocol', hub: 'packages/hub', worker: 'packages/worker', testkit: 'packages/testkit' }
/** Seeds that the unchanged copy must pass. */
const controlSeeds = 2
/** A mutant that spins is as found as one that fails. */
const mutantMs = 10 * 60_000

/** Runs the simulation on copies of the built packages, each with one line changed. */
export async function runMutants(
  mutants: readonly Mutant[],
  options: { readonly seeds: number; readonly jobs: number },
  onFate: (fate: MutantFate) => void = () => {},
): Promise<MutantFate[]> {
  const waiting = [...mutants]
  const fates: MutantFate[] = []
  const work = async () => {
    using copy = new Copy()
    await copy.check(mutants)
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const fate = await copy.run(mutant, options.seeds)
      fates.push(fate)
      onFate(fate)
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, work))
  return fates
}

/** The built packages in a directory of their own, with everybody else's by links. */
class Copy {
  readonly #directory = mkdtempSync(join(tmpdir(), 'callboard-mutants-'))

  constructor() {
    const modules = join(this.#directory, 'node_modules')
    mkdirSync(join(modules, '@callboard'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== '@callboard' && !name.startsWith('.')) {
        symlinkSync(join(root, 'node_modules', name), join(modules, name))
      }
    }
    for (const [name, path] of Object.entries(copied)) {
      for (const part of ['package.json', 'dist']) {
        cpSync(join(root, path, part), join(modules, '@callboard', name, part), { recursive: true })
      }
    }
  }

  /** Where the unchanged programs fail, each mutant would seem to be found. */
  async check(mutants: readonly Mutant[]): Promise<void> {
    for (const provocation of new Set(mutants.map(({ provoke }) => provoke))) {
      const { foundAfter, message } = await this.#simulate(controlSeeds, provocation)
      if (foundAfter !== undefined) {
        throw new Error(`seed ${foundAfter} (${provocation ?? 'as it comes'}) fails without any mutant: ${message}`)
      }
    }
  }

  async run(mutant: Mutant, seeds: number): Promise<MutantFate> {
    const path = join(this.#directory, 'node_modules/@callboard', mutant.file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, mutated(text, mutant))
    try {
      return { mutant, ...(await this.#simulate(seeds, mutant.provoke)) }
    } finally {
      writeFileSync(path, text)
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #simulate(seeds: number, provocation?: Provocation): Promise<Pick<MutantFate, 'foundAfter' | 'message'>> {
    const program = join(this.#directory, 'node_modules/@callboard/testkit/dist/simulate.js')
    const like = provocation === undefined ? [] : ['--provoke', provocation]
    const wish = ['--seeds', String(seeds), '--first', ...like]
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [program, ...wish], { timeout: mutantMs }, (error, stdout, stderr) => {
        const failed = /^seed (\d+) \([a-z]+\): (.*)$/m.exec(stdout)
        if (failed !== null) resolve({ foundAfter: Number(failed[1]), message: failed[2]! })
        else if (error?.killed === true) resolve({ foundAfter: seeds, message: 'the program did not end' })
        // It did not come to run a seed, or not to tell of it: that says nothing of the checks.
        else if (error !== null) reject(new Error(`the simulation broke down: ${stderr.slice(-1_000)}`))
        else resolve({ foundAfter: undefined, message: '' })
      })
    })
  }
}

/** The file that a mutant changes, as it was built. */
export function builtText({ file }: Mutant): string {
  const name = file.slice(0, file.indexOf('/')) as keyof typeof copied
  return readFileSync(join(root, copied[name], file.slice(name.length)), 'utf8')
}

/** Throws when the line is not there, so that the list is kept up with the code. */
export function mutated(text: string, { name, behind, from, to }: Mutant): string {
  const start = behind === undefined ? 0 : text.indexOf(behind)
  const at = start < 0 ? -1 : text.indexOf(from, start)
  const isClear = at >= 0 && (behind !== undefined || text.indexOf(from, at + 1) < 0)
  if (!isClear) throw new Error(`"${name}" fits no line, or more than one: see mutants.ts`)
  return text.slice(0, at) + to + text.slice(at + from.length)
}
