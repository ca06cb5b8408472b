import { helpTyped, readCommandLine } from '../contracts/core/command-line.ts'
import type { Benchmark } from './benchmark.ts'

export type Command =
  | {
      readonly kind: 'run'
      readonly benchmark: Benchmark
      readonly settings: Readonly<Record<string, number | string>>
      readonly json: boolean
      readonly out: string | null
      readonly history: boolean
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

export const HELP = (benchmarks: readonly Benchmark[]): string =>
  [
    'npm run bench -- NAME [options]',
    '',
    '  --json           print the result as one line of JSON instead of a table',
    '  --out FILE       also write the result to this file, as JSON',
    '  --no-history     do not append the result to bench/history.jsonl',
    '  --help           this text',
    ...benchmarks.flatMap((benchmark) => [
      '',
      `${benchmark.name}: ${benchmark.about}`,
      ...Object.entries(benchmark.options).map(
        ([name, option]) =>
          `  --${`${name} ${typeof option.default === 'number' ? 'N' : 'TEXT'}`.padEnd(19)}${option.about} ` +
          `(${option.default})`,
      ),
    ]),
    '',
    'Exits with 0 if everything was measured, however slow; 1 if a value could not be measured; 2 if the ' +
      'command line is wrong.',
    '',
  ].join('\n')

/** Parses the command line. Never throws. */
export function readCommand(args: readonly string[], benchmarks: readonly Benchmark[]): Command {
  const wrong = (message: string): Command => ({ kind: 'wrong', message })
  if (helpTyped(args)) return { kind: 'help' }
  const [name, ...rest] = args
  if (name === undefined || name.startsWith('-')) return wrong('Give the name of a benchmark first.')
  const benchmark = benchmarks.find((one) => one.name === name)
  if (!benchmark)
    return wrong(`There is no benchmark "${name}". Use one of: ${benchmarks.map((one) => one.name).join(', ')}.`)
  let values: Readonly<Record<string, unknown>>
  try {
    const texts = ['out', ...Object.keys(benchmark.options)].join(' ')
    ;({ values } = readCommandLine(rest, { texts, flags: 'json no-history' }))
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
  const settings: Record<string, number | string> = {}
  for (const [option, { default: usual }] of Object.entries(benchmark.options)) {
    const given = values[option]
    if (typeof given !== 'string') settings[option] = usual
    else if (typeof usual === 'string') settings[option] = given
    else if (/^\d{1,9}$/.test(given)) settings[option] = Number(given)
    else return wrong(`--${option} needs a whole number, not "${given}".`)
  }
  return {
    kind: 'run',
    benchmark,
    settings,
    json: values['json'] === true,
    out: typeof values['out'] === 'string' ? values['out'] : null,
    history: values['no-history'] !== true,
  }
}
