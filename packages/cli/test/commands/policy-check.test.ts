import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const policy = {
  roles: { students: ['agent:student-*'] },
  rules: [
    { id: 'no-shell', who: ['students'], services: ['kernel'], do: 'hide' },
    {
      id: 'little',
      who: ['agent:*'],
      tools: ['weave_eval'],
      do: 'call',
      when: { properties: { code: { type: 'string', maxLength: 5 } }, required: ['code'] },
      rate: { calls: 10, per: '1m' },
      audit: { redact: ['code'] },
    },
  ],
}

const nothing = {}

function installed(file: object = policy): Installation {
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o700 })
  if (file !== nothing) writeFileSync(join(installation.data, 'policy.json'), JSON.stringify(file))
  return installation
}

const check = async (installation: Installation, ...words: string[]) => {
  const { code, stdout, stderr } = await installation.run(['policy', 'check', ...words])
  return { code, said: (stdout + stderr).replaceAll(installation.data, 'DATA') }
}

describe('callboard policy check, without a tool', () => {
  it('says that the file is valid', async () => {
    expect(await check(installed())).toEqual({
      code: 0,
      said: 'DATA/policy.json is valid: 2 rules, 1 role.\nWhat no rule is about is callable.\n',
    })
  })

  it('says everything that is wrong with it', async () => {
    const { code, said } = await check(installed({ rules: [{ who: ['*'], tool: ['x'] }], defualt: 'hide' }))
    expect(code).toBe(2)
    expect(said).toBe(
      [
        'callboard: DATA/policy.json: unknown key defualt (did you mean default?).',
        'DATA/policy.json: rules[0]: unknown key tool (did you mean tools?).',
        'DATA/policy.json: rules[0]: do is missing.\n',
      ].join('\n'),
    )
  })

  it('says what helps where there is none', async () => {
    const { code, said } = await check(installed(nothing))
    expect(code).toBe(2)
    expect(said).toMatch(/There is no policy file DATA\/policy\.json.* say --file\./)
  })

  it('takes the file that the config names', async () => {
    const installation = installed()
    const named = { CALLBOARD_POLICY: join(installation.data, 'other.json') }
    const { stderr } = await installation.run(['policy', 'check'], named)
    expect(stderr).toMatch(/There is no policy file .*other\.json/)
  })
})

describe('callboard policy check TOOL', () => {
  it('explains by which rule, and why not by those before it', async () => {
    const { code, said } = await check(installed(), '--as', 'ada', 'kernel:weave_eval', 'code=print(1)')
    expect(code).toBe(0)
    expect(said).toBe(
      [
        'agent:ada (agent) and weave_eval of kernel: listed; this call is refused (forbidden): code must have a length of at most 5.',
        'By rule 2 "little" of DATA/policy.json.',
        'At most 10 calls in 60 s, 10 at once, counted for each principal.',
        'Where calls are recorded, the arguments are: whole but for what the rule redacts.',
        'Assumed: no hub is running: weave_eval was taken to be a tool of kernel.',
        'Rules before it:',
        '  1 "no-shell": is for students\n',
      ].join('\n'),
    )
  })

  it.each([
    [
      ['--as', 'student-7', 'kernel:weave_eval'],
      /: hidden\. A call is answered as one of a tool that never was\.\nBy rule 1/,
    ],
    [['weave_eval'], /^agent:main \(agent\) and weave_eval: listed; called where the arguments fit "when"/],
    [['weave_eval', 'code=1'], /listed and called\.\nBy rule 2/],
    [['--role', 'operator', 'weave_eval'], /^agent:main \(agent, operator\) and weave_eval/],
    [['--as', 'operator', 'kernel:weave_eval'], /^operator:local .*\nNo rule names operator:local/],
    [
      ['--as', 'student-7', '--through', 'scheduler', 'x'],
      /^agent:student-7 through worker:scheduler .*\nNo rule is about it/,
    ],
  ])('%j', async (words, said) => {
    expect((await check(installed(), ...words)).said).toMatch(said)
  })

  it('as JSON', async () => {
    const { said } = await check(installed(), '--as', 'student-7', 'kernel:weave_eval', '--json')
    expect(JSON.parse(said)).toMatchObject({
      principal: 'agent:student-7',
      roles: ['agent'],
      service: 'kernel',
      outcome: 'hidden',
      rule: { number: 1, id: 'no-shell' },
      passedOver: [],
    })
  })

  it.each([
    ['students', 'callboard: students is a role of the policy: name one of whom it is for with --as.\n'],
    [
      'student-*',
      'callboard: "student-*" is no principal: --as takes one, like agent:ada or operator, and no pattern.\n',
    ],
  ])('takes one principal, and not %s', async (as, said) => {
    expect(await check(installed(), '--as', as, 'weave_eval')).toEqual({ code: 2, said })
  })

  it('asks a running hub of which service the tool is', async () => {
    const installation = installed()
    await installation.up()
    const { said } = await check(installation, '--as', 'student-7', 'weave_eval', '--json')
    const { service, outcome, assumed } = JSON.parse(said)
    expect({ service, outcome, assumed }).toEqual({ service: 'kernel', outcome: 'hidden', assumed: undefined })
    const near = await check(installation, 'weave_evl')
    expect(near.said).toContain('Assumed: the running hub has no tool weave_evl (did you mean weave_eval?): ')
  })
})

describe('a policy file that is gone', () => {
  it('is in force as long as the hub runs, and is said to be', async () => {
    const installation = installed()
    await installation.hub()
    rmSync(join(installation.data, 'policy.json'))
    const { code, said } = await check(installation)
    expect([code, said]).toEqual([
      2,
      'callboard: DATA/policy.json is gone, and the running hub goes on with the policy that it had: put it back; to have no rules, write {"rules": []}.\n',
    ])
    const { stdout } = await installation.run(['doctor'])
    expect(stdout).toContain('/policy.json is gone: the policy that it had stays\n')
  })
})

describe('a broken policy file', () => {
  it('ends the start of a hub with 2, and doctor says every problem', async () => {
    const installation = installed({ rules: [{ who: ['*'] }], colour: 1 })
    const { code, stderr } = await installation.run(['hub'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/policy\.json: unknown key colour\.\n.*policy\.json: rules\[0\]: do is missing\./)
    const { findings } = JSON.parse((await installation.run(['doctor', '--json'])).stdout)
    const details = findings.flatMap((each: { check: string; detail: string }) =>
      each.check === 'policy' ? [each.detail] : [],
    )
    expect(details).toEqual([
      expect.stringMatching(/unknown key colour\.$/),
      expect.stringMatching(/rules\[0\]: do is missing\.$/),
    ])
  })
})
