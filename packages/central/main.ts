import { readFileSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { sayEnding, storageTrouble } from '../../contracts/core/program.ts'
import type { UnshownPaths } from './http/unshown-paths.ts'
import { startCentral, type CentralOptions } from './app.ts'

const USAGE = `The reference central services, for training, tests and rehearsals.

  npx node packages/central/main.ts --data FOLDER [options]

  --data FOLDER          where the database lives; made when missing
  --port N               port of the services; 0 takes a free one (default 0)
  --host ADDRESS         address to listen on (default 127.0.0.1)
  --tls-certificate FILE answers over HTTPS with this certificate (PEM); needs --tls-key
  --tls-key FILE         its private key (PEM)
  --seed N               seed of the data laid in a new folder (default 7); none: no seed data
  --import FOLDER        lays your own data over it: see README.md for the files
  --control-port N       also opens the control port on 127.0.0.1; off when left out
  --token-ttl SECONDS    life of a partner's token (default 300)
  --member-token-ttl SECONDS  life of a member's token (default as --token-ttl)
  --member-poll SECONDS  between two polls of a lane for a member (default 5)
  --member-code-ttl SECONDS  life of a code for a member's phone (default 600)
  --settle-after SECONDS how long an issuance that waits does so (default 60)
  --post-path PATH       where POST, POST/EVENT, REVERSE and the cash REVERSE are:
  --post-event-path PATH   the specification does not show their paths
  --reverse-path PATH
  --cash-reverse-path PATH
  --log-level LEVEL      trace, debug, info, warn, error or silent (default info)
  --exit-with-stdin      stops when standard input closes
  --help
`

type Command = CentralOptions & { readonly exitWithStdin: boolean }

function readCommand(argv: readonly string[]): Command | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: 'string' },
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      'tls-certificate': { type: 'string' },
      'tls-key': { type: 'string' },
      seed: { type: 'string', default: '7' },
      'control-port': { type: 'string' },
      'token-ttl': { type: 'string', default: '300' },
      'log-level': { type: 'string', default: 'info' },
      import: { type: 'string' },
      'member-token-ttl': { type: 'string' },
      'member-poll': { type: 'string' },
      'member-code-ttl': { type: 'string' },
      'settle-after': { type: 'string', default: '60' },
      'post-path': { type: 'string' },
      'post-event-path': { type: 'string' },
      'reverse-path': { type: 'string' },
      'cash-reverse-path': { type: 'string' },
      'exit-with-stdin': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  if (!values.data?.trim()) throw new Error('--data FOLDER is missing')
  if (!['trace', 'debug', 'info', 'warn', 'error', 'silent'].includes(values['log-level']))
    throw new Error(`--log-level ${values['log-level']} is not a level`)
  return {
    data: values.data,
    port: whole('--port', values.port, 0, 65_535),
    host: values.host,
    ...readTls(values['tls-certificate'], values['tls-key']),
    seed: values.seed === 'none' ? null : whole('--seed', values.seed, 0, 2 ** 32 - 1),
    ...(values.import === undefined ? {} : { importFrom: values.import }),
    ...(values['member-token-ttl'] === undefined
      ? {}
      : { memberTokenTtl: whole('--member-token-ttl', values['member-token-ttl'], 1, 86_400) }),
    ...(values['member-poll'] === undefined
      ? {}
      : { memberPollInterval: whole('--member-poll', values['member-poll'], 1, 60) }),
    ...(values['member-code-ttl'] === undefined
      ? {}
      : { memberCodeTtl: whole('--member-code-ttl', values['member-code-ttl'], 1, 86_400) }),
    settleAfterMs: 1_000 * whole('--settle-after', values['settle-after'], 0, 31_536_000),
    paths: {
      ...pathOption('post', '--post-path', values['post-path']),
      ...pathOption('postEvent', '--post-event-path', values['post-event-path']),
      ...pathOption('reverse', '--reverse-path', values['reverse-path']),
      ...pathOption('cashReverse', '--cash-reverse-path', values['cash-reverse-path']),
    },
    controlPort:
      values['control-port'] === undefined ? null : whole('--control-port', values['control-port'], 0, 65_535),
    tokenTtl: whole('--token-ttl', values['token-ttl'], 1, 86_400),
    logLevel: values['log-level'],
    exitWithStdin: values['exit-with-stdin'],
  }
}

function readTls(certificate: string | undefined, key: string | undefined): Pick<CentralOptions, 'tls'> {
  if (certificate === undefined && key === undefined) return {}
  if (certificate === undefined || key === undefined) throw new Error('--tls-certificate and --tls-key go together')
  return { tls: { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') } }
}

function whole(name: string, text: string, low: number, high: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < low || value > high)
    throw new Error(`${name} ${text}: a whole number from ${low} to ${high} is expected`)
  return value
}

function pathOption<Name extends keyof UnshownPaths>(
  name: Name,
  option: string,
  path: string | undefined,
): Partial<Record<Name, string>> {
  if (path === undefined) return {}
  if (!/^(\/[\w.-]+)+$/.test(path))
    throw new Error(`${option} ${path}: a path such as /checkout/issuance/post is expected`)
  return { [name]: path } as Partial<Record<Name, string>>
}

async function run(): Promise<void> {
  let command: Command | 'help'
  try {
    command = readCommand(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exitCode = 2
    return
  }
  if (command === 'help') {
    process.stdout.write(USAGE)
    return
  }
  // A library's notice must not stand on standard output beside the one line that callers read.
  console.info = console.error
  console.log = console.error
  const { data } = command
  const { close, ...ready } = await startCentral(command).catch((error: unknown) => {
    const trouble = storageTrouble(data, error)
    throw trouble === null ? error : new Error(trouble.message, { cause: error })
  })
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    // Whatever still holds on after this long is not worth waiting for: the database is safe at any moment.
    setTimeout(() => process.exit(1), 10_000).unref()
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${JSON.stringify({ level: 60, msg: 'did not stop cleanly', reason: String(error) })}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (command.exitWithStdin) process.stdin.on('end', stop).on('error', stop).resume()
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}

if (process.argv.includes('--exit-with-stdin'))
  process.once(
    'exit',
    sayEnding((line) => writeSync(process.stdout.fd, line)),
  )
run().catch((error: unknown) => {
  // Words and no line of the log: whoever starts these services shows them to a person.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
