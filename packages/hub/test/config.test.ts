import { describe, expect, it } from 'vitest'
import { ConfigError, type HttpConfig, type HubConfig, parseHubConfig } from '../src/config.js'

const base = { CALLBOARD_RUNTIME: '/run/callboard', CALLBOARD_DATA: '/data' }

const parse = (file: unknown, environment: Record<string, string> = {}): HubConfig =>
  parseHubConfig({ file, environment: { ...base, ...environment } })

function problems(file: unknown, environment: Record<string, string> = {}): readonly string[] {
  try {
    parse(file, environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('without any configuration', () => {
  it('everything has its default', () => {
    expect(parse(undefined)).toEqual({
      runtimeDirectory: '/run/callboard',
      dataDirectory: '/data',
      listen: [],
      localUsers: [],
      http: {
        addresses: [
          { host: '127.0.0.1', port: 8765 },
          { host: '::1', port: 8765 },
        ],
        required: false,
        origins: [],
      },
      httpOpen: ['qda'],
      workers: undefined,
      namespace: 'never',
      catalogue: { roles: {} },
      agents: {},
      logLevel: 'info',
      sections: {},
    })
  })

  it('the directories follow XDG', () => {
    const environment = { XDG_RUNTIME_DIR: '/run/user/7', XDG_DATA_HOME: '/home/me/data' }
    const { runtimeDirectory, dataDirectory } = parseHubConfig({ environment })
    expect([runtimeDirectory, dataDirectory]).toEqual(['/run/user/7/callboard', '/home/me/data/callboard'])
  })

  it('and without XDG the temporary directory and the home directory', () => {
    const { runtimeDirectory, dataDirectory } = parseHubConfig({ environment: {} })
    expect(runtimeDirectory).toMatch(/\/callboard-\d+$/)
    expect(dataDirectory).toMatch(/\.local\/share\/callboard$/)
  })

  it('an empty variable is an unset one', () => {
    const names = ['CALLBOARD_HTTP', 'CALLBOARD_HTTP_OPEN', 'CALLBOARD_WORKERS', 'CALLBOARD_LOG_LEVEL']
    expect(parse(undefined, Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parse(undefined))
  })
})

describe('a file', () => {
  it("sets everything; the workers' sections are passed on unread", () => {
    const file = {
      http: { listen: '127.0.0.1:9000', open: ['*'] },
      workers: ['kernel'],
      namespace: 'always',
      agents: { ada: { token: 'x'.repeat(16), group: 'family', roles: ['agent', 'operator'] }, bob: {} },
      logLevel: 'debug',
      kernel: { anything: [1] },
    }
    expect(parse(file)).toMatchObject({
      http: { addresses: [{ host: '127.0.0.1', port: 9000 }], required: true },
      httpOpen: ['*'],
      workers: ['kernel'],
      namespace: 'always',
      agents: {
        ada: { token: 'x'.repeat(16), group: 'family', roles: ['agent', 'operator'] },
        bob: { roles: ['agent'] },
      },
      logLevel: 'debug',
      sections: { kernel: { anything: [1] } },
    })
  })

  it('gives way to the environment', () => {
    const file = { http: 'off', workers: ['kernel'], logLevel: 'debug' }
    const environment = {
      CALLBOARD_HTTP: 'localhost:1',
      CALLBOARD_HTTP_OPEN: 'qda, forum ,',
      CALLBOARD_WORKERS: 'forum',
      CALLBOARD_LOG_LEVEL: 'warn',
    }
    expect(parse(file, environment)).toMatchObject({
      http: { required: true },
      httpOpen: ['qda', 'forum'],
      workers: ['forum'],
      logLevel: 'warn',
    })
  })
})

describe('none in CALLBOARD_HTTP_OPEN', () => {
  it.each(['none', ' none '])('opens nothing, whatever the file says: %j', (open) => {
    expect(parse({ http: { open: ['qda'] } }, { CALLBOARD_HTTP_OPEN: open }).httpOpen).toEqual([])
  })

  it.each(['none,qda', '*,none'])('stands alone: %s', (open) => {
    expect(problems({}, { CALLBOARD_HTTP_OPEN: open })).toEqual([
      'CALLBOARD_HTTP_OPEN: none stands alone: with it no service is open.',
    ])
  })

  it('is no service in the file, where an empty list says the same', () => {
    expect(problems({ http: { open: ['none'] } })).toEqual([
      'callboard.config.json: http.open: "none" is a word of CALLBOARD_HTTP_OPEN: say [].',
    ])
  })
})

it.each(['http', 'anonymous', 'operator', 'oauth.ada', 'oauth.'])(
  'refuses an agent %s: others have that name',
  (name) => {
    expect(problems({ agents: { [name]: {} } })).toEqual([
      expect.stringMatching(/^callboard\.config\.json: agents: "[a-z.]+" (is the name of|begins with oauth\.).*\.$/),
    ])
  },
)

describe('http.oauth', () => {
  const oauth = (section: object, more: object = {}) => ({
    http: {
      publicUrl: 'https://tools.example.org/',
      oauth: { issuer: 'https://login.example.org/', ...section },
      ...more,
    },
    agents: { ada: {} },
  })

  it('needs an issuer and the URL of this hub; then nothing is open without a token', () => {
    const { http, httpOpen } = parse(oauth({}))
    const { oauth: parsed, publicUrl } = http as HttpConfig
    expect([publicUrl, httpOpen]).toEqual(['https://tools.example.org', []])
    expect(parsed).toEqual({
      issuer: 'https://login.example.org/',
      resource: 'https://tools.example.org/mcp',
      audience: 'https://tools.example.org/mcp',
      requiredScopes: [],
      principalClaim: 'sub',
      agents: {},
    })
    expect(parse(oauth({}, { open: ['qda'] })).httpOpen).toEqual(['qda'])
  })

  it('may say more', () => {
    const section = {
      audience: 'api://callboard',
      jwksUri: 'http://127.0.0.1:9/keys',
      requiredScopes: ['tools:use'],
      operatorScope: 'tools:decide',
      principalClaim: 'email',
      agents: { 'ada@example.org': 'ada' },
    }
    expect(parse(oauth(section)).http).toMatchObject({ oauth: section })
  })

  it.each([
    [{ issuer: 'http://login.example.org' }, /oauth\.issuer: must be an https URL/],
    [{ issuer: 'https://login.example.org/?x=1' }, /oauth\.issuer: must be an https URL/],
    [{ issuer: 'https://u:p@login.example.org' }, /oauth\.issuer: must be an https URL/],
    [{ issuer: 7 }, /oauth\.issuer: must be an https URL/],
    [{ jwksUri: 'http://login.example.org/keys' }, /oauth\.jwksUri: must be an https URL/],
    [{ audience: '' }, /oauth\.audience: must not be empty/],
    [{ requiredScopes: 'tools' }, /oauth\.requiredScopes: must be a list/],
    [{ requiredScopes: ['a b'] }, /oauth\.requiredScopes: a scope has no space/],
    [{ operatorScope: 'a"b' }, /oauth\.operatorScope: a scope has no space/],
    [{ agents: { x: 'bob' } }, /oauth\.agents: there is no agent "bob" under "agents"/],
    [{ isuer: 'x' }, /oauth: unknown key isuer \(did you mean issuer\?\)/],
  ])('refuses %j', (section, problem) => {
    expect(problems(oauth(section))).toEqual([expect.stringMatching(problem)])
  })

  it('says what is missing', () => {
    expect(problems({ http: { oauth: {} } })).toEqual([
      'callboard.config.json: http.oauth: needs an issuer, the URL of the authorization server.',
      'callboard.config.json: http.oauth: needs http.publicUrl, by which clients know this hub.',
    ])
  })
})

describe('http', () => {
  it.each([
    ['off', 'off'],
    ['127.0.0.1:80', { addresses: [{ host: '127.0.0.1', port: 80 }], required: true, origins: [] }],
    ['127.9.9.9:0', { addresses: [{ host: '127.9.9.9', port: 0 }], required: true, origins: [] }],
    ['[::1]:65535', { addresses: [{ host: '::1', port: 65_535 }], required: true, origins: [] }],
    [
      'localhost:8080',
      {
        addresses: [
          { host: '127.0.0.1', port: 8080 },
          { host: '::1', port: 8080 },
        ],
        required: true,
        origins: [],
      },
    ],
  ])('listens at %s', (listen, expected) => {
    expect(parse(undefined, { CALLBOARD_HTTP: listen }).http).toEqual(expected)
    expect(parse(listen === 'off' ? { http: 'off' } : { http: { listen } }).http).toEqual(expected)
  })

  it.each([
    ['https://callboard.example', 'https://callboard.example'],
    ['https://Callboard.Example:443/', 'https://callboard.example'],
    ['http://10.0.0.7:8080', 'http://10.0.0.7:8080'],
  ])('takes %s for the URL that a proxy gives it', (publicUrl, expected) => {
    expect(parse({ http: { publicUrl } }).http).toMatchObject({ publicUrl: expected })
  })

  it.each([
    7,
    '',
    'callboard.example',
    'ftp://a.example',
    'https://a.example/mcp',
    'https://a.example?',
    'https://u@a.example',
  ])('refuses %j as public URL', (publicUrl) => {
    expect(problems({ http: { publicUrl } })).toEqual([
      `callboard.config.json: http.publicUrl: ${JSON.stringify(publicUrl)} must be an http or https URL without path, query or user, like "https://callboard.example".`,
    ])
  })

  it('takes origins as browsers and desktop programs send them', () => {
    const origins = ['https://app.example', 'http://localhost:3000', 'chrome-extension://abcdef', 'tauri://localhost']
    expect(parse({ http: { origins } }).http).toMatchObject({ origins })
    expect(problems({ http: { origins: 'https://app.example' } })).toEqual([
      'callboard.config.json: http.origins: must be a list, like ["https://app.example"].',
    ])
  })

  it.each([
    '*',
    'null',
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://app.example:443',
    'file://x',
  ])('refuses the origin %s, which no browser sends or which says nothing', (origin) => {
    expect(problems({ http: { origins: [origin] } })).toEqual([
      `callboard.config.json: http.origins: ${JSON.stringify(origin)} is no origin: scheme and host as browsers send them, like "https://app.example" or "http://localhost:3000".`,
    ])
  })

  it('metrics are for whoever shows a token, or open where that is said; the variable wins', () => {
    expect(parse({ http: {} }).http).not.toHaveProperty('metrics')
    expect(parse({ http: { metrics: 'open' } }).http).toMatchObject({ metrics: 'open' })
    const variables = { CALLBOARD_HTTP_METRICS: 'token' }
    expect(parse({ http: { metrics: 'open' } }, variables).http).toMatchObject({ metrics: 'token' })
    expect(problems({ http: { metrics: true } })).toEqual([
      'callboard.config.json: http.metrics: must be token or open.',
    ])
    expect(problems({ http: 'off' }, { CALLBOARD_HTTP_METRICS: 'all' })).toEqual([
      'CALLBOARD_HTTP_METRICS: all must be token or open.',
    ])
  })

  it.each(['8080', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:80', 'http://localhost:80', '[::1]'])(
    'refuses %s, which is no host:port',
    (listen) => {
      expect(problems(undefined, { CALLBOARD_HTTP: listen })).toEqual([
        `CALLBOARD_HTTP: ${listen} must be host:port (for IPv6 [::1]:8765), or off.`,
      ])
    },
  )

  it.each(['0.0.0.0:80', '[::]:80', '192.168.0.1:80', 'example.org:80', '127.example.org:80'])(
    'refuses %s, which others could reach',
    (listen) => {
      expect(problems({ http: { listen } })).toEqual([expect.stringContaining('is not a loopback address')])
    },
  )
})

describe('problems', () => {
  it('are told all at once, each with its key', () => {
    const file = { http: { listen: 7 }, namespace: 'sometimes', agents: { 'a b': {}, ada: { token: 'short' } } }
    const found = problems(file, { CALLBOARD_DATA: 'data', CALLBOARD_WORKERS: 'Kernel', CALLBOARD_LOG_LEVEL: 'loud' })
    const keys = [
      'http.listen',
      'namespace',
      'agents: "a b" is no name',
      'agents.ada.token',
      'CALLBOARD_DATA',
      'CALLBOARD_WORKERS',
      'CALLBOARD_LOG_LEVEL',
    ]
    for (const key of keys)
      expect(
        found.filter((problem) => problem.includes(key)),
        key,
      ).toHaveLength(1)
    expect(found).toHaveLength(keys.length)
  })

  it('of one key hide none of another, nor do those of a form those of a value', () => {
    const file = {
      http: { listen: '0.0.0.0:1', open: 'qda' },
      workers: 5,
      namespace: true,
      agents: {
        'Bad Name': { group: 7 },
        ada: { roles: ['king'] },
        bob: { tokn: 'x' },
        eve: null,
      },
      logLevel: 'loud',
    }
    const found = problems(file, { CALLBOARD_HTTP_OPEN: 'Qda,*', CALLBOARD_LOG_LEVEL: 'quiet' })
    expect(found.map((problem) => problem.replace('callboard.config.json: ', ''))).toEqual([
      'workers: must be a list, like ["kernel"].',
      'namespace: must be never or always.',
      'logLevel: must be trace, debug, info, warn, error, fatal or silent.',
      'http.open: must be a list, like ["qda"].',
      'agents: "Bad Name" is no name: a name has A-Z, a-z, 0-9, _, . and -, 64 characters at most.',
      'agents.Bad Name.group: must be text.',
      'agents.ada.roles: must be agent or operator.',
      'agents.bob: unknown key tokn (did you mean token?).',
      'agents.eve: must be an object, like {"group": "lab"}.',
      'http.listen: 0.0.0.0 is not a loopback address; put a reverse proxy in front to serve other machines.',
      'CALLBOARD_HTTP_OPEN: "Qda" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most.',
      'CALLBOARD_LOG_LEVEL: quiet must be trace, debug, info, warn, error, fatal or silent.',
    ])
  })

  it.each([
    [{ http: 7 }, 'http: must be "off", or an object, like {"listen": "127.0.0.1:8765"}.'],
    [{ http: ['off'] }, 'http: must be "off", or an object, like {"listen": "127.0.0.1:8765"}.'],
    [
      { http: { open: ['Qda'] } },
      'http.open: "Qda" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most.',
    ],
    [
      { workers: ['Kernel'] },
      'workers: "Kernel" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most.',
    ],
    [{ workers: [7] }, 'workers: 7 is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most.'],
    [{ workers: null }, 'workers: must be a list, like ["kernel"].'],
    [{ agents: [] }, 'agents: must be an object, like {"ada": {}}.'],
    [{ agents: { ada: { token: 'short' } } }, 'agents.ada.token: must have at least 16 characters.'],
    [
      { agents: { ada: { token: 'x'.repeat(16) }, bob: {}, eve: { token: 'x'.repeat(16) } } },
      'agents.eve.token: is that of ada too, and a token says who bears it.',
    ],
    [{ agents: { ada: { roles: [] } } }, 'agents.ada.roles: must not be empty.'],
    [{ agents: { ada: { roles: 'agent' } } }, 'agents.ada.roles: must be a list, like ["agent"].'],
  ])('%j is told in words', (file, problem) => {
    expect(problems(file)).toEqual([`callboard.config.json: ${problem}`])
  })

  it('leave what is usable', () => {
    const file = {
      workers: ['kernel'],
      namespace: 'often',
      agents: { ada: { group: 'lab', token: 7 } },
      kernel: { x: 1 },
    }
    const error = (() => {
      try {
        return parse(file, { CALLBOARD_HTTP: 'off' })
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).usable).toMatchObject({
      http: 'off',
      workers: ['kernel'],
      namespace: 'never',
      agents: { ada: { group: 'lab', roles: ['agent'] } },
      sections: { kernel: { x: 1 } },
    })
  })

  it('name the file and the key that was probably meant', () => {
    expect(problems({ namspace: 'always' })).toEqual([
      'callboard.config.json: unknown key namspace (did you mean namespace?).',
    ])
    expect(problems({ kernl: {} })).toEqual(['callboard.config.json: unknown key kernl (did you mean kernel?).'])
    expect(problems({ http: { lisen: 'off' }, agents: { ada: { tokn: 'x' } } })).toEqual([
      'callboard.config.json: http: unknown key lisen (did you mean listen?).',
      'callboard.config.json: agents.ada: unknown key tokn (did you mean token?).',
    ])
  })

  it.each([[[]], ['text'], [null], [7]])('a file that holds %j is no object', (file) => {
    expect(problems(file)).toEqual(['callboard.config.json: must be a JSON object.'])
  })

  it('the policy is where the variable says, else the key, by an absolute path', () => {
    expect(parse({ policy: '/etc/a.json' }).policyFile).toBe('/etc/a.json')
    expect(parse({ policy: '/etc/a.json' }, { CALLBOARD_POLICY: '/etc/b.json' }).policyFile).toBe('/etc/b.json')
    expect(problems({ policy: 'a.json' })).toEqual(['callboard.config.json: policy: a.json must be an absolute path.'])
    expect(problems({}, { CALLBOARD_POLICY: 'b.json' })).toEqual(['CALLBOARD_POLICY: b.json must be an absolute path.'])
  })

  it('relative directories would depend on where a program was started', () => {
    expect(problems(undefined, { CALLBOARD_RUNTIME: 'run', CALLBOARD_DATA: './data' })).toEqual([
      'CALLBOARD_RUNTIME: run must be an absolute path.',
      'CALLBOARD_DATA: ./data must be an absolute path.',
    ])
  })
})

describe('where workers on other machines come in [CB-1]', () => {
  it.each([
    ['tcp://0.0.0.0:8766', ['tcp://0.0.0.0:8766']],
    [' tcp://10.0.0.1:1, tcp://[::]:2 ,', ['tcp://10.0.0.1:1', 'tcp://[::]:2']],
    ['', []],
  ])('%j', (listen, endpoints) => {
    expect(parse(undefined, { CALLBOARD_LISTEN: listen }).listen).toEqual(endpoints)
    expect(parse({ listen }).listen).toEqual(endpoints)
  })

  it.each([
    'ipc:///tmp/x',
    '0.0.0.0:8766',
    'tcp://hub.example:1',
    'tcp://999.0.0.1:1',
    'tcp://1.2.3.4:0',
    'tcp://1.2.3.4:65536',
    'tcp://[zz]:1',
  ])('%j is refused with an example of what is right', (listen) => {
    expect(() => parse(undefined, { CALLBOARD_LISTEN: listen })).toThrow(/is no endpoint: write tcp:\/\/ADDRESS:PORT/)
  })

  it('users of this machine are listed by number [CB-86]', () => {
    expect(parse(undefined, { CALLBOARD_WORKER_USERS: '1001, 1002' }).localUsers).toEqual([1001, 1002])
    expect(() => parse(undefined, { CALLBOARD_WORKER_USERS: 'ada' })).toThrow(/"ada" is no user id/)
  })
})
