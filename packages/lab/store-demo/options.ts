import { readCommandLine } from '../../../contracts/core/command-line.ts'

export interface DemoOptions {
  /** Null: the demo’s own place. */
  readonly data: string | null
  readonly lanes: number
  /** Of the store server; the lanes have those behind it. Null: as the time before, else any. */
  readonly port: number | null
  readonly fresh: boolean
  readonly open: boolean
  readonly json: boolean
}

const MOST_LANES = 30

export const DEMO_HELP = `A whole store on this machine, to try: PostgreSQL, a store server, and lanes that share it.

  npm run milepost -- store:demo [options]

  --lanes N         how many lanes, up to ${MOST_LANES} (3); each takes some 150 MB of memory
  --data FOLDER     where all of it is kept, and goes on from the next time (a folder of your account)
  --fresh           begin anew; what was there is set aside, not deleted
  --port N          port of the store server on 127.0.0.1; the lanes have those behind it (any that are free)
  --open            open a window of an installed browser for each lane
  --without-window  open none: the addresses are printed (as without --open)
  --json            say in one line where everything is, for programs; the rest is on standard error
  --help

Sign in as Alex Tremblay with PIN 1234, or as the manager Sam Okafor with 9999. Nothing counts. Ctrl-C ends everything.
`

/** Throws an Error in plain words for what cannot be understood. */
export function readDemoOptions(args: readonly string[]): DemoOptions | 'help' {
  const { values, help } = readCommandLine(args, {
    texts: 'data',
    flags: 'fresh open without-window json',
    numbers: { lanes: [1, MOST_LANES], port: [1_024, 65_535 - MOST_LANES] },
  })
  if (help) return 'help'
  const { data = null, lanes = 3, port = null, fresh, open, json } = values
  if (open && values['without-window']) throw new Error('--open and --without-window: one of the two.')
  return { data, lanes, port, fresh, open, json }
}
