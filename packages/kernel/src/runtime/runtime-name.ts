import { pythonRuntimeName } from '../limits.js'

/** In front of any kernelspec's name it means the kernelspec, never the harness. No name of a kernelspec has a colon. */
export const runtimePrefix = 'jupyter:'

/** The one name of what may be written in several ways: `IR`, `ir` and `jupyter:ir` are the same runtime. */
export function plainRuntimeName(written: string): string {
  const name = written.toLowerCase()
  if (!name.startsWith(runtimePrefix)) return name
  const kernelspec = name.slice(runtimePrefix.length)
  return kernelspec === pythonRuntimeName ? name : kernelspec
}
