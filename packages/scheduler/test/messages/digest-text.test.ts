import { expect, it } from 'vitest'
import { type Digest, digestMail } from '../../src/messages/digest-text.js'

const lab = { tag: 'lab', name: 'Laboratory' }
const main = { tag: 'main', name: 'Main' }
const at = (time: string) => Date.parse(`2026-02-20T${time}:00Z`)

const digest: Digest = {
  from: at('13:00'),
  to: at('15:00'),
  timeZone: 'Europe/Paris',
  messages: [
    {
      id: 'msg_1',
      group: lab,
      at: at('13:10'),
      text: 'Two <b>results</b> & more\nsecond line <internal>no</internal>',
    },
    { id: 'msg_2', group: main, at: at('13:20'), text: 'All quiet' },
    { id: 'msg_3', group: lab, at: at('13:30'), text: 'Third' },
  ],
  troubles: [
    {
      group: lab,
      title: 'daily',
      how: 'failed',
      times: 3,
      firstAt: at('13:00'),
      lastAt: at('14:00'),
      error: 'exit 1\nboom',
    },
    { group: main, title: 'weekly', how: 'missed', times: 1, firstAt: at('14:30'), lastAt: at('14:30'), error: null },
  ],
  pauses: [{ group: lab, at: at('14:00'), text: 'daily: 5 slots in a row were not ok' }],
  moreFollows: false,
}

it('tells what each group said, then what went wrong, then what it covers, in local time', () => {
  const { subject, text } = digestMail(digest)
  expect(subject).toBe('Callboard digest: 6 items, 2 groups, 2026-02-20 16:00 Europe/Paris')
  expect(text).toBe(`[lab] Laboratory
================

2026-02-20 14:10
Two <b>results</b> & more
second line

2026-02-20 14:30
Third


[main] Main
===========

2026-02-20 14:20
All quiet


Runs that did not end well
==========================

2026-02-20 15:00
[lab] daily: failed, 3 times since 2026-02-20 14:00
exit 1 boom

2026-02-20 15:30
[main] weekly: missed


Tasks that were paused
======================

2026-02-20 15:00
[lab] daily: 5 slots in a row were not ok


From 2026-02-20 14:00 to 2026-02-20 16:00 Europe/Paris.
`)
})

it('says the same in HTML, where nothing of it is markup', () => {
  const { html } = digestMail({ ...digest, pauses: [{ group: lab, at: 0, text: `</p><script>"'` }] })
  expect(html).toContain('Two &#60;b&#62;results&#60;/b&#62; &#38; more')
  expect(html).not.toMatch(/<script|<b>|no<\/internal/)
  expect(html).toContain('&#60;/p&#62;&#60;script&#62;&#34;&#39;')
})

it('cuts a message at 4,000 characters, between characters, and says where the rest is', () => {
  const [first] = digest.messages
  const { text } = digestMail({ ...digest, messages: [{ ...first!, text: '🎈'.repeat(4_001) }] })
  expect(text).toContain(`\n${'🎈'.repeat(4_000)}…\n(cut; the whole text is message msg_1)\n`)
  const whole = digestMail({ ...digest, messages: [{ ...first!, text: '🎈'.repeat(4_000) }] })
  expect(whole.text).not.toContain('(cut')
})

it('counts one item as one, and says when more follows', () => {
  const one = digestMail({ ...digest, messages: [], troubles: [], moreFollows: true })
  expect(one.subject).toBe('Callboard digest: 1 item, 1 group, 2026-02-20 16:00 Europe/Paris')
  expect(one.text).toContain('the rest follows in the next one')
})
