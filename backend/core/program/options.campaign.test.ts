import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StartRefusedError } from './data-folder.ts'
import { type Outcome, run } from '../../../packages/lab/rig/process.ts'
import { temporaryFolder } from '../http/testing.ts'
import { parseOptions } from './options.ts'

const NEEDED = ['--profile', 'store.yaml', '--data', 'folder']
const CENTRAL = { url: 'http://127.0.0.1:1', tokenUrl: 'http://127.0.0.1:1/token', clientId: 'me' }

test('the options of the command line are parsed, and missing ones get their defaults', () => {
  expect(parseOptions(NEEDED)).toMatchObject({
    lane: null,
    listen: { kind: 'tcp', port: 0, orAnother: false },
    central: null,
    staticRoot: null,
    exitWithStdin: false,
    logLevel: 'info',
  })
  expect(
    parseOptions([
      ...NEEDED,
      '--lane',
      '02',
      '--socket',
      '/run/till',
      '--exit-with-stdin',
      '--log-level',
      'debug',
      '--central-json',
      JSON.stringify(CENTRAL),
    ]),
  ).toMatchObject({
    lane: '02',
    listen: { kind: 'socket', path: '/run/till' },
    exitWithStdin: true,
    logLevel: 'debug',
    central: CENTRAL,
  })
  expect(parseOptions([...NEEDED, '--port', '65535']).listen).toEqual({
    kind: 'tcp',
    port: 65_535,
    orAnother: false,
  })
  expect(parseOptions([...NEEDED, '--port', '4711', '--or-another-port']).listen).toMatchObject({ orAnother: true })
})

test.each([
  ['no options', []],
  ['no data folder', ['--profile', 'store.yaml']],
  ['no profile', ['--data', 'folder']],
  ['an empty profile', ['--profile', '', '--data', 'folder']],
  ['an empty data folder', ['--profile', 'store.yaml', '--data', '']],
  ['an unknown option', [...NEEDED, '--fast']],
  ['an argument without an option', [...NEEDED, 'more']],
  ['an option without its value', [...NEEDED, '--lane']],
  ['a port that is no number', [...NEEDED, '--port', 'http']],
  ['an empty port', [...NEEDED, '--port', '']],
  ['a negative port', [...NEEDED, '--port=-1']],
  ['a port in another notation', [...NEEDED, '--port', '0x1F90']],
  ['a port too large', [...NEEDED, '--port', '65536']],
  ['a fractional port', [...NEEDED, '--port', '80.5']],
  ['a port and a socket', [...NEEDED, '--port', '8080', '--socket', '/run/till']],
  ['an empty socket', [...NEEDED, '--socket', '']],
  ['an empty data folder', ['--profile', 'store.yaml', '--data=']],
  ['an empty profile', ['--profile=', '--data', '/data']],
  ['an empty lane', [...NEEDED, '--lane=']],
  ['a lane of blanks', [...NEEDED, '--lane', ' ']],
  ['screens from an empty folder', [...NEEDED, '--static=']],
  ['an unknown log level', [...NEEDED, '--log-level', 'loud']],
  ['central services that are no JSON', [...NEEDED, '--central-json', '{']],
  ['central services without an address', [...NEEDED, '--central-json', '{"clientId":"me"}']],
  [
    'central services with an invalid address',
    [...NEEDED, '--central-json', JSON.stringify({ ...CENTRAL, url: 'nowhere' })],
  ],
  ['central services without a client', [...NEEDED, '--central-json', JSON.stringify({ ...CENTRAL, clientId: '' })]],
])('a command line with %s prints the usage and ends with exit code 2', (_case, argv) => {
  let refused: unknown
  try {
    parseOptions(argv)
  } catch (error) {
    refused = error
  }
  expect(refused).toBeInstanceOf(StartRefusedError)
  if (!(refused instanceof StartRefusedError)) return
  expect(refused.exitCode).toBe(2)
  expect(refused.message).toContain('npx node backend/main.ts --profile')
  expect(refused.message.split('\n')[0], 'starts with the error').not.toContain('usage')
})

const STORES = join(import.meta.dirname, '../../../stores')

const runMain = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  run([join(import.meta.dirname, '../../main.ts'), ...args], { env: { PATH: process.env['PATH'], ...environment } })

test('an invalid command line ends the program with exit code 2 and one message, and writes no data', async () => {
  const data = join(temporaryFolder(), 'data')
  const training = join(STORES, 'training.yaml')
  const production = join(STORES, 'example.yaml')
  const secret = { MILEPOST_CLIENT_SECRET: 's3cret' }
  const cases = [
    { args: ['--data', data], message: 'npx node backend/main.ts --profile' },
    { args: ['--data', data, '--profile', join(STORES, 'none.yaml')], message: 'none.yaml' },
    {
      args: ['--data', data, '--profile', training, '--lane', '77'],
      message: 'The profile has no lane 77; it has 01.',
    },
    { args: ['--data', data, '--profile', training], message: 'Training mode needs the reference services' },
    {
      args: ['--data', data, '--profile', production, '--central-json', JSON.stringify(CENTRAL)],
      message: 'Un profil de production ne démarre pas avec les services de référence.',
    },
  ]
  const ended = await Promise.all(cases.map(({ args }) => runMain(args, secret)))
  ended.forEach(({ code, stdout: output, stderr: errorOutput }, index) => {
    expect(errorOutput).toContain(cases[index]?.message)
    expect([code, output]).toEqual([2, ''])
    expect(errorOutput, 'a message, not a stack').not.toMatch(/\n\s+at /)
    expect(errorOutput).not.toContain('s3cret')
  })
  expect(() => readdirSync(data)).toThrow('ENOENT')
})

test.each([
  [
    'department',
    'id: produce',
    'id: prodcue',
    'catalog.departments[0].id: aucun article du catalogue n’a le rayon « prodcue »',
  ],
  ['quick key', '"1018"', '"9918"', 'catalog.departments[7].quick[0]: aucun article du catalogue n’a l’UGS « 9918 »'],
])(
  'a terminal does not start with a %s in the profile that its catalog lacks',
  async (_case, right, wrong, message) => {
    const folder = temporaryFolder()
    const profile = join(folder, 'store.yaml')
    writeFileSync(profile, readFileSync(join(STORES, 'example.yaml'), 'utf8').replace(right, wrong))
    copyFileSync(join(STORES, 'example-catalog.csv'), join(folder, 'example-catalog.csv'))
    const { code, stderr: errorOutput } = await runMain(['--data', join(folder, 'data'), '--profile', profile], {
      MILEPOST_CLIENT_SECRET: 's3cret',
    })
    expect(errorOutput).toContain(message)
    expect(code).toBe(2)
  },
)

test('a production terminal does not start with TLS verification disabled', async () => {
  const data = join(temporaryFolder(), 'data')
  const { code, stderr: errorOutput } = await runMain(['--data', data, '--profile', join(STORES, 'example.yaml')], {
    MILEPOST_CLIENT_SECRET: 's3cret',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  })
  expect(errorOutput).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 est défini')
  expect(code).toBe(2)
})

test('a refused start is printed in the language of its store', async () => {
  const asked = ['--data', join(temporaryFolder(), 'data'), '--profile', join(STORES, 'example.yaml'), '--lane', '77']
  expect(await runMain(asked)).toMatchObject({
    code: 2,
    stderr: 'Le profil n’a pas de caisse 77. Caisses du profil : 01.\n',
  })
})
