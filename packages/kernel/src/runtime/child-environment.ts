import { homedir } from 'node:os'
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
  return {
    ...scrubbed(environment),
    // Figures are drawn without a display, which a worker has none of.
    MPLBACKEND: 'Agg',
  }
}

/** For kernels that choose matplotlib's backend themselves, the one that sends figures, unless one is set. */
export function jupyterEnvironment(environment: NodeJS.ProcessEnv = process.env): { readonly [name: string]: string } {
  return scrubbed(environment)
}

function scrubbed(environment: NodeJS.ProcessEnv): { readonly [name: string]: string } {
  const kept: { [name: string]: string } = { PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter) }
  for (const name of passedOn) {
    const value = environment[name]
    if (value !== undefined) kept[name] = value
  }
  return { ...kept, LANG: kept['LANG'] ?? 'C.UTF-8', PYTHONUTF8: '1' }
}

/** Where the environment says that Jupyter's data lies; see docs.jupyter.org, "Common directories and file locations". */
export interface JupyterPlaces {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly jupyterPath: readonly string[]
  readonly jupyterDataDir?: string | undefined
  readonly xdgDataHome?: string | undefined
  /** Of the virtual or conda environment that is active. */
  readonly prefixes: readonly string[]
}

export function jupyterPlaces(environment: NodeJS.ProcessEnv = process.env): JupyterPlaces {
  const set = (name: string) => environment[name] || undefined
  return {
    home: set('HOME') ?? homedir(),
    platform: process.platform,
    jupyterPath: (set('JUPYTER_PATH') ?? '').split(delimiter).filter((path) => path !== ''),
    jupyterDataDir: set('JUPYTER_DATA_DIR'),
    xdgDataHome: set('XDG_DATA_HOME'),
    prefixes: [set('VIRTUAL_ENV'), set('CONDA_PREFIX')].filter((prefix) => prefix !== undefined),
  }
}
