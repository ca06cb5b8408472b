import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { now } from '../checkout/clock.ts'
import { breakProfiles, writeChain } from './chain.ts'

const OPTIONS = {
  stores: { default: 500, about: 'stores, including broken ones' },
  broken: { default: 15, about: 'broken profiles, each in another way' },
  platform: { default: 'linux-browser', about: 'platform of npm run milepost -- package' },
  packages: { default: '', about: 'folder for the packages; 25 GB for 500 stores (default: a temporary one)' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const LIMIT_S = 600

export const packages: Benchmark<typeof OPTIONS> = {
  name: 'packages',
  about: 'a package for each of 500 stores, and a second run with --resume',
  options: OPTIONS,
  run: measurePackages,
}

async function measurePackages({ settings, folder, signal, log }: Run): Promise<Measured> {
  const at = (...parts: string[]): string => path.join(folder, ...parts)
  const out = settings.packages === '' ? at('out') : path.resolve(settings.packages)
  writeChain(at('chain'), path.resolve('stores', 'chain'), settings.stores)
  log('rendering the profiles')
  await done(['packages/delivery/commands/profiles.ts', 'render', at('chain'), '--out', at('profiles')], signal)
  await done(['packages/delivery/commands/keys.ts', 'new', '--name', 'bench', '--keys', at('keys')], signal)
  const broken = breakProfiles(at('profiles'), settings.broken)
  await done(['scripts/build.ts'], signal)
  // Removes the built program, because building it is part of the measurement.
  rmSync(path.resolve('build', 'programs'), { recursive: true, force: true })
  const args = [
    'packages/delivery/packaging/package.ts',
    '--stores',
    at('profiles'),
    '--keys',
    at('keys'),
    '--out',
    out,
  ]
  const make = async (...more: string[]): Promise<number> => {
    const began = now()
    const { code, output } = await run([...args, '--platform', settings.platform, ...more], signal)
    if (code !== (broken === 0 ? 0 : 1) || !output.includes(`${broken} stores `))
      throw new Error(`the packages were not made (exit code ${code}):\n${output}`)
    return now() - began
  }
  log(`making the packages of ${settings.stores} stores in ${out}`)
  const madeMs = await make()
  const made = readdirSync(out).filter((name) => name.endsWith('.tar.gz'))
  log('once more, with --resume')
  const reusedMs = await make('--resume')
  const copied = copies(out, made, at('copy'))
  const bytes = made.reduce((sum, name) => sum + statSync(path.join(out, name)).size, 0)
  const seconds = madeMs / 1_000
  return {
    measurements: [
      { name: 'packages of all stores, with their program', role: 'result', samples: [madeMs] },
      {
        name: 'the same with --resume: all exist, and their hashes are verified',
        role: 'result',
        samples: [reusedMs],
      },
      { name: 'one package copied by the system', role: 'ceiling', samples: copied },
    ],
    targets: [
      { name: 'all stores', unit: 's', bound: 'below', limit: LIMIT_S, value: seconds, low: seconds, high: seconds },
    ],
    facts: {
      stores: settings.stores,
      broken,
      packages: made.length,
      'megabytes in all': Math.round(bytes / 1e6),
      cores: availableParallelism(),
    },
    notes: [
      'From the start of the program to its end: profiles checked, one program made and packed, each package written ' +
        'with its hash, and the reports. The lane’s programs and the screens were built before.',
    ],
  }
}

const COPIES = 20

/** Measures the speed of the disk for comparison: milliseconds of copying each package’s files. */
function copies(out: string, names: readonly string[], file: string): number[] {
  return names.slice(0, COPIES).map((name) => {
    const began = now()
    copyFileSync(path.join(out, name), file)
    const took = now() - began
    rmSync(file)
    return took
  })
}

interface Ended {
  readonly code: number | null
  readonly output: string
}
async function run(args: readonly string[], signal: AbortSignal): Promise<Ended> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'pipe'], signal })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, output: output + errors }
}

async function done(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { code, output } = await run(args, signal)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output}`)
}
