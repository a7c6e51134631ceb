import type { RefiProject, RefiTextSource } from '../../../src/refi/model.js'

const nobody = { creatingUser: null, createdAt: null, modifyingUser: null, modifiedAt: null }

export const emptyProject: RefiProject = {
  ...nobody,
  name: 'Empty',
  origin: null,
  basePath: null,
  users: [],
  codes: [],
  variables: [],
  cases: [],
  sources: [],
  notes: [],
  links: [],
  sets: [],
  graphCount: 0,
  description: null,
  noteRefs: [],
}

export function textSource(parts: Partial<RefiTextSource> = {}): RefiTextSource {
  return {
    ...nobody,
    kind: 'text',
    guid: '11111111-2222-4333-8444-555555555555',
    name: 'Interview',
    description: null,
    codings: [],
    noteRefs: [],
    values: [],
    content: null,
    richTextPath: null,
    selections: [],
    ...parts,
  }
}
