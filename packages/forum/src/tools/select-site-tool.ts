import type { Worker } from '@callboard/worker'
import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import type { SelectedSites } from '../sites/site-desk.js'
import type { SiteOpener } from '../sites/site-opener.js'
import { textOf } from './common-input.js'
import { selects } from './marks.js'
import { readInput } from './read-input.js'
import { guarded, scopeOf, specOf } from './serve-tool.js'

const input = z.strictObject({
  site: textOf(1, 2_000, 'Address of the forum: http or https, e.g. https://meta.discourse.org'),
})

const output = z.strictObject({
  site: z.string().describe('The forum as it is selected now, without what comes after its address'),
  title: z.string(),
})

const announced = {
  name: 'discourse_select_site',
  title: 'Select a forum',
  description:
    'Selects the Discourse forum that all other tools of this session work with, until another one is selected. What can be ' +
    'done there depends on the keys that the operator has given: after a selection tools may appear or disappear.',
  input,
  output,
  marks: selects,
}

export function serveSelectSite(
  worker: Worker,
  parts: Foundation & { readonly desk: SelectedSites; readonly opener: SiteOpener },
): void {
  worker.tool(announced.name, specOf(announced), (given, context) =>
    guarded(announced.name, context, parts, async () => {
      const { site } = await readInput(input, given)
      const scope = scopeOf(context, parts)
      const { base, title } = await parts.desk.select(context.caller.session, () => parts.opener.open(site, scope))
      return { site: base, title }
    }),
  )
}
