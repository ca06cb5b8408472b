import { expect, test } from 'vitest'
import {
  CommandLineError,
  languageTyped,
  languageValue,
  readCommandLine,
  runCommand,
  wholeNumber,
} from './command-line.ts'

const read = (...args: readonly string[]) =>
  readCommandLine(args, {
    texts: 'data lane browser',
    mayBeEmpty: 'browser',
    flags: 'kiosk no-window',
    lists: 'name',
    numbers: { port: [1, 65_535] },
    words: true,
  })

test('each option is parsed as the text, list, number or switch that it is declared as', () => {
  expect(read()).toEqual({ values: { kiosk: false, 'no-window': false, name: [] }, words: [], help: false })
  const line = 'put --data=a --lane 02 --name one --no-window --port 80 --name two --browser= -- --kiosk'
  expect(read(...line.split(' '))).toEqual({
    values: { data: 'a', lane: '02', browser: '', kiosk: false, 'no-window': true, name: ['one', 'two'], port: 80 },
    words: ['put', '--kiosk'],
    help: false,
  })
  expect(read('--data=--lane', '-').values.data).toBe('--lane')
})

test.each([
  [['--colour', 'red'], 'unknownOption', "Unknown option '--colour'."],
  [['-x'], 'unknownOption', "Unknown option '-x'."],
  [['--no-kiosk'], 'unknownOption', "Unknown option '--no-kiosk'."],
  [['--data'], 'valueMissing', '--data is given without a value.'],
  [['--data', '--lane', '02'], 'valueMissing', '--data is given without a value.'],
  [['--data='], 'valueMissing', '--data is given without a value.'],
  [['--name', ' '], 'valueMissing', '--name is given without a value.'],
  [['--kiosk=1'], 'valueUnwanted', '--kiosk takes no value.'],
  [['--lane', '01', '--lane=02'], 'optionTwice', '--lane is given more than once.'],
  [['--port', '80', '--port', '81'], 'optionTwice', '--port is given more than once.'],
  [['--port', '0'], 'wholeNumber', '--port needs a whole number from 1 to 65535, not "0".'],
  [['--port', '0x50'], 'wholeNumber', '--port needs a whole number from 1 to 65535, not "0x50".'],
] as const)('the command line %j is refused', (args, key, message) => {
  expect(() => read(...args)).toThrow(expect.objectContaining({ key, message }))
})

test('positional arguments are refused where a CLI command takes none', () => {
  expect(() => readCommandLine(['more'], { texts: 'data' })).toThrow('"more" is not expected here.')
})

test('help is shown even when the rest of the command line is invalid', () => {
  for (const ask of ['--help', '-h']) expect(read('--colour', ask)).toMatchObject({ help: true, words: [] })
})

test('a lenient reading of the command line ignores unknown options, but reports a missing value', () => {
  const lenient = (...args: readonly string[]) =>
    readCommandLine(args, { texts: 'data', flags: 'kiosk', lenient: true }).values
  expect(lenient('--no-sandbox', '--inspect=0', 'app', '--data', 'a', '--data', 'b', '--help')).toEqual({
    data: 'b',
    kiosk: false,
  })
  expect(() => lenient('--data', '--kiosk')).toThrow(CommandLineError)
})

test('only plain decimal digits count as a whole number', () => {
  expect(wholeNumber('--n', '007', [0, 9])).toBe(7)
  for (const text of ['1.0', '+1', '-1', '1e0', ' 1', '', '10', '9'.repeat(16)])
    expect(() => wholeNumber('--n', text, [0, 9]), text).toThrow('--n needs a whole number from 0 to 9')
})

test('the language that a command line requests is found even if the command line is invalid', () => {
  expect(languageTyped(['--colour', '--language', 'fr'])).toBe('fr-CA')
  expect(languageTyped(['--language=fr-CA'])).toBe('fr-CA')
  // The language is read only from `--language`, never from a positional argument.
  expect([languageTyped(['fr']), languageTyped(['--language']), languageTyped(['--language=de'])]).toEqual(
    Array.from({ length: 3 }, () => 'en-CA'),
  )
  expect([languageValue(['--language', 'de']), languageValue(['de'])]).toEqual(['de', undefined])
})

test.each([
  [['--code', '7'], { out: '', err: '', exitCode: 7 }],
  [['--help'], { out: 'usage\n', err: '', exitCode: undefined }],
  [['--code', 'x'], { out: '', err: expect.stringMatching(/^--code needs .*\n\nusage\n$/), exitCode: 2 }],
  [[], { out: '', err: 'no code\n', exitCode: 2 }],
])(
  'a CLI command with the arguments %j writes the expected output and has the expected exit code',
  async (args, expected) => {
    const output = { out: '', err: '' }
    const host: Parameters<typeof runCommand>[0] = {
      argv: ['node', 'main.ts', ...args],
      stdout: { write: (text) => (output.out += text) },
      stderr: { write: (text) => (output.err += text) },
    }
    await runCommand(host, 'usage\n', { numbers: { code: [0, 9] } }, ({ values: { code } }) => {
      if (code === undefined) throw new Error('no code')
      return code
    })
    expect({ ...output, exitCode: host.exitCode }).toEqual(expected)
  },
)
