import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'

/** Texts that other programs have lost positions in. */
export const hardTexts = {
  'emoji.txt': 'A 👩‍👩‍👧 family 🥕 and e\u0301 combining marks, twice: é.\nSecond line.',
  'wide.txt': '中文的访谈。第二句。\u2029שלום עולם\nمرحبا',
  'plain.txt': 'one two three four five six seven eight nine ten',
  'empty.txt': '',
} as const

export interface RichOptions {
  /** Puts two texts into the database as other programs left them. */
  readonly foreignLineEnds?: boolean
}

/** Fills an empty project with something of every kind that leaves it; the texts are as a worker stores them. */
export function fillRichProject(
  path: string,
  db: Database.Database,
  { foreignLineEnds = false }: RichOptions = {},
): void {
  const date = '2026-03-02 12:34:56'
  const insert = (table: string, row: object) => {
    const columns = Object.keys(row)
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    return Number(db.prepare(sql).run(Object.values(row)).lastInsertRowid)
  }
  db.exec("UPDATE project SET memo = 'About ]]> & all\n#####never to be seen', date = '2026-03-01 08:00:00'")
  insert('coder_names', { name: 'ada', visibility: 1 })
  insert('coder_names', { name: 'bob', visibility: 1 })
  insert('coder_names', { name: 'hidden hal', visibility: 0 })
  const texts = Object.entries<string>(hardTexts).map(([name, text]) => {
    const id = insert('source', { name, fulltext: text, mediapath: null, memo: `memo of ${name}`, owner: 'ada', date })
    return { id, name, text }
  })
  if (foreignLineEnds)
    for (const [name, text] of [
      ['crlf.txt', 'one\r\ntwo 🥕\r\nthree'],
      ['marked.txt', '\ufeffmarked\r\nlast'],
    ] as const)
      texts.push({ id: insert('source', { name, fulltext: text, memo: '', owner: 'bob', date }), name, text })
  const top = insert('code_cat', { name: 'Feelings', owner: 'ada', date, memo: 'cat <memo>', supercatid: null })
  const low = insert('code_cat', { name: 'Good ones', owner: 'ada', date, memo: '', supercatid: top })
  insert('code_cat', { name: 'Empty', owner: 'ada', date, memo: '', supercatid: null })
  const code = (name: string, more: object) =>
    insert('code_name', {
      name,
      memo: `what ${name} is`,
      owner: 'ada',
      date,
      color: '#F7D358',
      catid: null,
      supercid: null,
      ...more,
    })
  const joy = code('Joy & "joy"', { catid: low })
  const glee = code('Glee', { supercid: joy, color: '#123ABC' })
  const lone = code('Lone', { memo: 'control \u0001 character, ]]> and\nline ##### secret' })
  for (const { id, text } of texts) {
    const characters = [...text]
    const coding = (cid: number, pos0: number, pos1: number, owner: string, memo = '') => {
      if (pos1 > characters.length) return
      const seltext = characters.slice(pos0, pos1).join('')
      insert('code_text', { cid, fid: id, seltext, pos0, pos1, owner, date, memo, important: null })
    }
    coding(joy, 0, 7, 'ada', 'a memo & ]]> \u0002')
    coding(glee, 2, 9, 'bob')
    coding(lone, 2, 9, 'ada', 'open ##### private')
    coding(joy, 0, 7, 'bob')
    coding(joy, 3, 12, 'hidden hal', 'hidden')
    if (characters.length > 8)
      insert('annotation', { fid: id, pos0: 1, pos1: 5, memo: 'a remark\n##### mine', owner: 'bob', date })
  }
  insert('attribute_type', {
    name: 'Age',
    date,
    owner: 'ada',
    memo: 'in years',
    caseOrFile: 'case',
    valuetype: 'numeric',
  })
  insert('attribute_type', { name: 'Place', date, owner: 'ada', memo: '', caseOrFile: 'file', valuetype: 'character' })
  insert('attribute_type', { name: 'Unused', date, owner: 'ada', memo: '', caseOrFile: 'file', valuetype: 'character' })
  const cases = ['Ann', 'Ben'].map((name) => insert('cases', { name, memo: `case ${name}`, owner: 'ada', date }))
  const [first, second] = texts
  insert('case_text', {
    caseid: cases[0]!,
    fid: first!.id,
    pos0: 0,
    pos1: [...first!.text].length,
    owner: 'ada',
    date,
    memo: '',
  })
  insert('case_text', { caseid: cases[1]!, fid: second!.id, pos0: 2, pos1: 6, owner: 'bob', date, memo: 'a part' })
  const value = (name: string, attr_type: string, id: number, text: string) =>
    insert('attribute', { name, attr_type, value: text, id, date, owner: 'ada' })
  for (const [index, id] of cases.entries()) value('Age', 'case', id, String(40 + index))
  for (const { id, name } of texts) {
    value('Place', 'file', id, name === 'emoji.txt' ? 'Köln 🥕' : '')
    value('Unused', 'file', id, '')
  }
  insert('journal', { name: 'Day one', jentry: 'We began.\n🥕 & <tags>', date, owner: 'bob' })
  addMedia(path, db, insert, { joy, lone, date, transcript: texts[2]!.id })
}

function addMedia(
  path: string,
  db: Database.Database,
  insert: (table: string, row: object) => number,
  { joy, lone, date, transcript }: { joy: number; lone: number; date: string; transcript: number },
): void {
  for (const [folder, name] of [
    ['images', 'photo.png'],
    ['audio', 'talk.mp3'],
    ['documents', 'paper.pdf'],
    ['documents', 'letter.docx'],
  ] as const) {
    mkdirSync(join(path, folder), { recursive: true })
    writeFileSync(join(path, folder, name), `bytes of ${name}`)
  }
  const plain = { memo: '', owner: 'ada', date }
  const photo = insert('source', { name: 'photo.png', fulltext: null, mediapath: '/images/photo.png', ...plain })
  const talk = insert('source', {
    name: 'talk.mp3',
    fulltext: null,
    mediapath: '/audio/talk.mp3',
    ...plain,
    av_text_id: transcript,
  })
  const paper = insert('source', {
    name: 'paper.pdf',
    fulltext: 'Paper text 🥕',
    mediapath: '/docs/paper.pdf',
    ...plain,
  })
  insert('source', { name: 'letter.docx', fulltext: 'Dear all', mediapath: '/docs/letter.docx', ...plain })
  insert('source', { name: 'far.mp4', fulltext: null, mediapath: 'video:/far/away.mp4', ...plain })
  for (const { id } of db
    .prepare("SELECT id FROM source WHERE id NOT IN (SELECT id FROM attribute WHERE attr_type = 'file')")
    .all() as { id: number }[])
    for (const name of ['Place', 'Unused'])
      insert('attribute', { name, attr_type: 'file', value: '', id, date, owner: 'ada' })
  insert('code_image', { id: photo, x1: 3, y1: 4, width: 10, height: 20, cid: joy, ...plain, memo: 'a face' })
  insert('code_image', { id: paper, x1: 1, y1: 2, width: 3, height: 4, cid: lone, ...plain, pdf_page: 2 })
  insert('code_text', { cid: joy, fid: paper, seltext: 'text 🥕', pos0: 6, pos1: 12, ...plain })
  insert('code_av', { id: talk, pos0: 1500, pos1: 2500, cid: lone, ...plain, owner: 'bob' })
}
