import { readFileSync, writeSync } from 'node:fs'
import { readCommandLine, wholeNumber } from '../../contracts/core/command-line.ts'
import { writeEnding, storageTrouble } from '../../contracts/core/program.ts'
import type { CentralOptions, UnshownPaths } from './context.ts'
import { startCentral } from './app.ts'

const USAGE = `The reference central services, for training, tests and rehearsals.

  npm run milepost -- central --data FOLDER [options]

  --data FOLDER          folder of the database; created when missing
  --port N               port of the services; 0 takes a free one (default 0)
  --host ADDRESS         address to listen on (default 127.0.0.1)
  --tls-certificate FILE answers over HTTPS with this certificate (PEM); needs --tls-key
  --tls-key FILE         its private key (PEM)
  --seed N               seed of the data of a new folder (default 7), or none
  --import FOLDER        imports your own data; files: docs/reference-services.md
  --control-port N       also opens the control port on 127.0.0.1 (default: closed)
  --token-ttl SECONDS    lifetime of a partner's token (default 300)
  --member-token-ttl SECONDS  lifetime of a member's token (default: --token-ttl)
  --member-poll SECONDS  interval of a lane's polls for a sign-in (default 5)
  --member-code-ttl SECONDS  lifetime of a sign-in code (default 600)
  --settle-after SECONDS delay of pending issuances (default 60)
  --post-path PATH       paths of POST, POST/EVENT, REVERSE and the cash REVERSE;
  --post-event-path PATH   the specification does not show them
  --reverse-path PATH
  --cash-reverse-path PATH
  --log-level LEVEL      trace, debug, info, warn, error or silent (default info)
  --exit-with-stdin      stop when standard input closes
  --help
`

const TEXTS =
  'data host tls-certificate tls-key seed log-level import post-path post-event-path reverse-path cash-reverse-path'

type Command = CentralOptions & { readonly exitWithStdin: boolean }

function readCommand(argv: readonly string[]): Command | 'help' {
  const { values, help } = readCommandLine(argv, {
    texts: TEXTS,
    numbers: {
      port: [0, 65_535],
      'control-port': [0, 65_535],
      'token-ttl': [1, 86_400],
      'member-token-ttl': [1, 86_400],
      'member-poll': [1, 60],
      'member-code-ttl': [1, 86_400],
      'settle-after': [0, 31_536_000],
    },
    flags: 'exit-with-stdin',
  })
  if (help) return 'help'
  const { data, seed = '7', 'log-level': logLevel = 'info' } = values
  if (data === undefined) throw new Error('--data FOLDER is missing')
  if (!['trace', 'debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    throw new Error(`--log-level ${logLevel}: unknown level`)
  return {
    data,
    port: values.port ?? 0,
    host: values.host ?? '127.0.0.1',
    ...readTls(values['tls-certificate'], values['tls-key']),
    seed: seed === 'none' ? null : wholeNumber('--seed', seed, [0, 2 ** 32 - 1]),
    ...(values.import === undefined ? {} : { importFrom: values.import }),
    ...(values['member-token-ttl'] === undefined ? {} : { memberTokenTtl: values['member-token-ttl'] }),
    ...(values['member-poll'] === undefined ? {} : { memberPollInterval: values['member-poll'] }),
    ...(values['member-code-ttl'] === undefined ? {} : { memberCodeTtl: values['member-code-ttl'] }),
    settleAfterMs: 1_000 * (values['settle-after'] ?? 60),
    paths: {
      ...pathOption('post', '--post-path', values['post-path']),
      ...pathOption('postEvent', '--post-event-path', values['post-event-path']),
      ...pathOption('reverse', '--reverse-path', values['reverse-path']),
      ...pathOption('cashReverse', '--cash-reverse-path', values['cash-reverse-path']),
    },
    controlPort: values['control-port'] ?? null,
    tokenTtl: values['token-ttl'] ?? 300,
    logLevel,
    exitWithStdin: values['exit-with-stdin'],
  }
}

function readTls(certificate: string | undefined, key: string | undefined): Pick<CentralOptions, 'tls'> {
  if (certificate === undefined && key === undefined) return {}
  if (certificate === undefined || key === undefined)
    throw new Error('--tls-certificate and --tls-key must be given together')
  return { tls: { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') } }
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
  // Standard output is for one line that callers read, so notices of libraries go to standard error.
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
    // Exit after ten seconds even with open connections, because the database is consistent at any moment.
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
    writeEnding((line) => writeSync(process.stdout.fd, line)),
  )
run().catch((error: unknown) => {
  // The error is plain text instead of a log line, because the calling program shows it to a person.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
