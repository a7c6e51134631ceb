const tenants = ['ada', 'ben', 'eve', 'joe', 'kim', 'leo', 'mia', 'sam'] as const

/**
 * As an installation with many users has it. The rule that lets the bench through has sixteen before it and a rate that it never
 * reaches; what no rule is about is hidden, so that no answer comes by anything else.
 */
export const policyFile = {
  roles: {
    students: ['agent:student-*', 'agent:oauth.*'],
    staff: tenants.map((name) => `agent:${name}`),
    callers: ['agent:main', 'agent:*'],
  },
  default: 'hide',
  rules: [
    { id: 'approvals', who: ['operator'], services: ['social'], do: 'call' },
    { id: 'tasks', who: ['worker:scheduler'], services: ['social', 'forum'], do: 'call' },
    ...tenants.map((name) => ({ id: `of-${name}`, who: [`agent:${name}`], services: [`${name}-*`], do: 'call' })),
    { id: 'students', who: ['students'], tools: ['kernel:weave_*'], do: 'call', rate: { calls: 30, per: '1m' } },
    { id: 'students-look', who: ['students'], tools: ['kernel:*'], do: 'show' },
    { id: 'staff', who: ['staff'], services: ['kernel', 'forum', 'qda'], do: 'call' },
    { id: 'read', who: ['callers'], services: ['forum'], tools: ['get_*', 'list_*', 'search_*'], do: 'call' },
    { id: 'no-deletion', who: ['*'], tools: ['*delete*', '*drop*', '*reset*'], do: 'hide' },
    { id: 'no-operation', who: ['callers'], services: ['scheduler', 'social'], do: 'hide' },
    { id: 'bench', who: ['callers'], services: ['bench'], tools: ['ec*'], do: 'call', rate: { calls: 1e6, per: '1s' } },
    { id: 'prompts', who: ['*'], prompts: ['*'], do: 'call' },
    { id: 'files', who: ['callers'], resources: ['lab://*'], do: 'call' },
    { id: 'rest', who: ['*'], services: ['*-public'], do: 'show' },
  ],
}
