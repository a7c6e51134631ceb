import { crashTraceLengthMax } from '../limits.js'

/**
 * What faulthandler wrote, less what says nothing to an agent: threads that run no code of its own, and the frames of the
 * harness. Other runtimes write what they like, which stays; the end is what counts.
 */
export function crashTrace(faults: string): string {
  const sections = faults.trimEnd().split(/\n(?=(?:Current thread|Thread) 0x)/)
  const kept = sections.filter((section, index) => index === 0 || /File "<(cell|rule)-|^Current thread/.test(section))
  const text = kept.map(withoutHarness).join('\n').trim()
  return text.length > crashTraceLengthMax ? `…${text.slice(-crashTraceLengthMax)}` : text
}

function withoutHarness(section: string): string {
  return section
    .split('\n')
    .filter(
      (line) =>
        !/^\s+File "[^"]*\/(callboard_kernel\/\w+|python\/start)\.py"/.test(line) && !/^Extension modules:/.test(line),
    )
    .join('\n')
    .trimEnd()
}
