import { describe, expect, it } from 'vitest'
import type { Benchmark } from './benchmark.ts'
import { HELP, readCommand } from './command.ts'
import { BENCHMARKS } from './registry.ts'

const ring: Benchmark = {
  name: 'ring',
  about: 'rings',
  options: { items: { default: 100, about: 'items' }, screens: { default: 'build', about: 'folder' } },
  run: () => Promise.reject(new Error('not run here')),
}
const read = (...args: string[]) => readCommand(args, [ring])

describe('the command line of a benchmark', () => {
  it('selects the default settings, a table as output and an entry in the history file if no option is given', () => {
    expect(read('ring')).toEqual({
      kind: 'run',
      benchmark: ring,
      settings: { items: 100, screens: 'build' },
      json: false,
      out: null,
      history: true,
    })
  })

  it('returns the values of the given options', () => {
    expect(read('ring', '--items', '7', '--screens', 'there', '--json', '--out', 'a.json', '--no-history')).toEqual({
      kind: 'run',
      benchmark: ring,
      settings: { items: 7, screens: 'there' },
      json: true,
      out: 'a.json',
      history: false,
    })
  })

  it.each([
    [['ring', '--items', 'many'], '--items needs a whole number, not "many".'],
    [['ring', '--items=-1'], '--items needs a whole number, not "-1".'],
    [['rong'], 'There is no benchmark "rong". Use one of: ring.'],
    [[], 'Give the name of a benchmark first.'],
    [['--json'], 'Give the name of a benchmark first.'],
  ])('rejects the invalid arguments %j', (args, message) => {
    expect(read(...args)).toEqual({ kind: 'wrong', message })
  })

  it('rejects an unknown option', () => {
    expect(read('ring', '--item', '7')).toMatchObject({ kind: 'wrong', message: expect.stringContaining('--item') })
  })

  it('lists every benchmark with its options in its help', () => {
    expect(read('ring', '--help')).toEqual({ kind: 'help' })
    const help = HELP(BENCHMARKS)
    for (const { name, options } of BENCHMARKS)
      for (const word of [name, ...Object.keys(options)]) expect(help).toContain(word)
  })
})
