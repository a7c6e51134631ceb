import { z } from 'zod'

const agentNamePattern = /^[A-Za-z0-9_.-]{1,64}$/
export const agentNameRule = 'a name has A-Z, a-z, 0-9, _, . and -, 64 characters at most'

/** What stands before the names of agents that an authorization server knows: nobody here can take one of them. */
export const oauthPrefix = 'oauth.'

/** Names of those who say no name, and of who is no agent: whoever had one would be taken for them. */
const takenNames = ['anonymous', 'http', 'operator']

/** Why an agent can't have this name, as the end of a sentence; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (!agentNamePattern.test(name)) return `is no name: ${agentNameRule}`
  if (takenNames.includes(name)) return 'is the name of those who give none, or of the operator'
  if (name.startsWith(oauthPrefix))
    return `begins with ${oauthPrefix}, which is for those whom an authorization server knows`
  return undefined
}

export const agentName = z.string('must be text').superRefine((name, context) => {
  const problem = nameProblem(name)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `${JSON.stringify(name)} ${problem}` })
})

export const groupName = z.string('must be text').min(1, 'must not be empty').max(64, 'must have at most 64 characters')

const roles = ['agent', 'operator'] as const
export const agentRoles = z
  .array(z.enum(roles, 'must be agent or operator'), 'must be a list, like ["agent"]')
  .min(1, 'must not be empty')
