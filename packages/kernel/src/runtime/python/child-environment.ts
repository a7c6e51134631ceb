import { delimiter } from 'node:path'

/** All that a kernel sees of the worker's environment: nothing of Callboard, no tokens, no secrets of other programs. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'PYTHONPATH',
  'PYTHONHOME',
  'VIRTUAL_ENV',
]

/** The one place of this package that reads the environment. */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): { readonly [name: string]: string } {
  const kept: { [name: string]: string } = { PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter) }
  for (const name of passedOn) {
    const value = environment[name]
    if (value !== undefined) kept[name] = value
  }
  return {
    ...kept,
    LANG: kept['LANG'] ?? 'C.UTF-8',
    PYTHONUTF8: '1',
    // Figures are drawn without a display, which a worker has none of.
    MPLBACKEND: 'Agg',
  }
}
