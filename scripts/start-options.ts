import { CommandLineError, readCommandLine } from '../contracts/core/command-line.ts'

export interface StartOptions {
  readonly profile: string
  readonly data: string | null
  readonly lane: string | null
  readonly port: number
  readonly window: 'best' | 'electron' | 'browser' | 'none'
  readonly electronTimeoutSeconds: number
  readonly kiosk: boolean
  readonly resetTraining: boolean
}

export const START_HELP = `Milepost: the point-of-sale terminal of a checkout lane.

  npm start -- [options]

  --profile FILE     the store's profile          (stores/training.yaml)
  --data FOLDER      data folder of this lane     (a folder of your account, named after store and lane)
  --lane ID          lane of the profile          (the first)
  --port NUMBER      port on 127.0.0.1; 0 = any   (0)
  --electron         try Electron although it failed here before
  --electron-patience SECONDS
                     how long to wait for Electron's window before a browser is opened (60)
  --browser          open an app window of a browser even if Electron is available
  --kiosk            open the window in full screen
  --no-window        open no window, print the address
  --reset-training   start training with empty data; the old data folder is renamed, not deleted
  --help             this text

Training mode needs nothing else: its cards, balances and miles are made up, and nothing counts.

A production profile also needs the client secret: in the environment variable MILEPOST_CLIENT_SECRET, or provisioned
once into the data folder with  npx node backend/operations/provision.ts set-secret --data FOLDER
`

/** Parses the command line of `npm start`. `wrong`: `message` states the mistake in one sentence. */
export function readStartOptions(
  args: readonly string[],
  defaultProfile: string,
):
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string } {
  try {
    const { values, help } = readCommandLine(args, {
      texts: 'profile data lane port electron-patience',
      flags: 'electron browser no-window kiosk reset-training',
    })
    if (help) return { kind: 'help' }
    const port = Number(values.port ?? '0')
    if (!/^\d{1,5}$/.test(values.port ?? '0') || port > 65_535)
      return { kind: 'wrong', message: `--port needs a number from 0 to 65535, not "${values.port}".` }
    const patience = Number(values['electron-patience'] ?? '60')
    if (!(patience > 0 && patience <= 600)) {
      const given = values['electron-patience']
      return { kind: 'wrong', message: `--electron-patience needs a number of seconds up to 600, not "${given}".` }
    }
    return {
      kind: 'start',
      options: {
        profile: values.profile ?? defaultProfile,
        data: values.data ?? null,
        lane: values.lane ?? null,
        port,
        window: values['no-window'] ? 'none' : values.browser ? 'browser' : values.electron ? 'electron' : 'best',
        electronTimeoutSeconds: patience,
        kiosk: values.kiosk,
        resetTraining: values['reset-training'],
      },
    }
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    return { kind: 'wrong', message: error.message }
  }
}
