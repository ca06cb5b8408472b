import { readCommandLine } from '../../../contracts/core/command-line.ts'

export interface DemoOptions {
  /** Folder of the demo; null: the default folder. */
  readonly data: string | null
  readonly lanes: number
  /** Port of the store server; the lanes use the following ports. Null: the former port, or any free one. */
  readonly port: number | null
  readonly fresh: boolean
  readonly open: boolean
  readonly json: boolean
}

const MAX_LANES = 30

export const DEMO_HELP = `Runs a demo store on this machine: PostgreSQL, a store server, and lanes that share it.

  npm run milepost -- store:demo [options]

  --lanes N         number of lanes, up to ${MAX_LANES} (3); each takes some 150 MB of memory
  --data FOLDER     folder for all data, used again by the next start
                    (a folder of your account; as root /var/lib/milepost-store-demo)
  --fresh           start with empty data; the old data is renamed, not deleted
  --port N          port of the store server on 127.0.0.1; the lanes use the following ports (any free ports)
  --open            open a window of an installed browser for each lane
  --without-window  open no window and print the addresses (default)
  --json            print one line of JSON with all addresses for programs; other output is on standard error
  --help            this text

Sign in as Alex Tremblay with PIN 1234, or as the manager Sam Okafor with 9999. Nothing counts. Press Ctrl-C to end
everything.
`

/** Reads the options of the demo. Throws an Error with a message for the user if an option is invalid. */
export function readDemoOptions(args: readonly string[]): DemoOptions | 'help' {
  const { values, help } = readCommandLine(args, {
    texts: 'data',
    flags: 'fresh open without-window json',
    numbers: { lanes: [1, MAX_LANES], port: [1_024, 65_535 - MAX_LANES] },
  })
  if (help) return 'help'
  const { data = null, lanes = 3, port = null, fresh, open, json } = values
  if (open && values['without-window']) throw new Error('--open and --without-window cannot be combined.')
  return { data, lanes, port, fresh, open, json }
}
