import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { EXIT, StartRefusedError } from './data-folder.ts'

/**
 * How the backend is started. The client secret comes by the environment, never on the command line, where others could
 * read it.
 */
export interface BackendOptions {
  readonly profile: string
  readonly data: string
  readonly lane: string | null
  readonly listen:
    | { readonly kind: 'tcp'; readonly port: number; readonly orAnother: boolean }
    | { readonly kind: 'socket'; readonly path: string }
  /** Where the reference services of training mode listen. */
  readonly central: z.infer<typeof CentralAddress> | null
  readonly staticRoot: string | null
  readonly exitWithStdin: boolean
  readonly logLevel: string
}

export const CentralAddress = z.object({
  url: z.url(),
  tokenUrl: z.url(),
  memberSignInUrl: z.url().optional(),
  revocationUrl: z.url().optional(),
  issuer: z.url().optional(),
  controlUrl: z.url().nullish(),
  clientId: z.string().min(1),
  clientSecret: z.string().optional(),
})

export const USAGE = `usage: npx node backend/main.ts --profile FILE --data FOLDER [options]

  --profile FILE      the store profile (YAML)
  --data FOLDER       what the terminal must not lose: database, keys, backups
  --lane ID           which lane of the profile this is (default: the first)
  --port N            listen on 127.0.0.1:N (default 0: any free port)
  --or-another-port   where another program has that port, listen on any free one
  --socket PATH       listen on a Unix socket or named pipe instead
  --central-json JSON address of the reference services (training): url, tokenUrl, clientId, and more
  --static FOLDER     the built screens
  --exit-with-stdin   stop when standard input ends
  --log-level LEVEL   error, warn, info (default) or debug

  MILEPOST_CLIENT_SECRET  secret for the token service; MILEPOST_SEAL_KEY  32 bytes in base64 from the key store`

const LOG_LEVELS: readonly string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * Names of the options that were given as nothing (`--data=`, or a variable that was empty): never what was meant, and
 * as a path it would be the working folder.
 */
export const emptyOptions = (values: Readonly<Record<string, string | boolean | undefined>>): string[] =>
  Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && value.trim() === '')
    .map(([name]) => name)

/** Throws StartRefusedError with the usage for anything that cannot be understood. */
export function parseOptions(argv: readonly string[]): BackendOptions {
  const refuse = (message: string): never => {
    throw new StartRefusedError(`${message}\n\n${USAGE}`, EXIT.badArguments)
  }
  let values
  try {
    ;({ values } = parseArgs({
      args: [...argv],
      options: {
        profile: { type: 'string' },
        data: { type: 'string' },
        lane: { type: 'string' },
        port: { type: 'string' },
        'or-another-port': { type: 'boolean' },
        socket: { type: 'string' },
        'central-json': { type: 'string' },
        static: { type: 'string' },
        'exit-with-stdin': { type: 'boolean' },
        'log-level': { type: 'string' },
      },
    }))
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
  const [empty] = emptyOptions(values)
  if (empty !== undefined) return refuse(`--${empty} is given without a value`)
  const { profile, data } = values
  if (!profile || !data) return refuse('--profile and --data are needed')
  const port = /^\d{1,5}$/.test(values.port ?? '0') ? Number(values.port ?? '0') : -1
  if (port < 0 || port > 65_535) return refuse(`--port is a number from 0 to 65535, not ${values.port}`)
  if (values.port !== undefined && values.socket !== undefined)
    return refuse('--port and --socket are two ways to listen: give one')
  const logLevel = values['log-level'] ?? 'info'
  if (!LOG_LEVELS.includes(logLevel)) return refuse(`--log-level is one of ${LOG_LEVELS.join(', ')}, not ${logLevel}`)
  return {
    profile,
    data,
    lane: values.lane ?? null,
    listen:
      values.socket === undefined
        ? { kind: 'tcp', port, orAnother: values['or-another-port'] ?? false }
        : { kind: 'socket', path: values.socket },
    central: values['central-json'] === undefined ? null : parseCentral(values['central-json'], refuse),
    staticRoot: values.static === undefined ? null : resolve(values.static),
    exitWithStdin: values['exit-with-stdin'] ?? false,
    logLevel,
  }
}

function parseCentral(json: string, refuse: (message: string) => never): z.infer<typeof CentralAddress> {
  try {
    return CentralAddress.parse(JSON.parse(json))
  } catch {
    return refuse('--central-json is not the address of the reference services: {"url":…,"tokenUrl":…,"clientId":…}')
  }
}
