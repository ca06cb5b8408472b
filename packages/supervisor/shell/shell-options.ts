import path from 'node:path'
import { CommandLineError, readCommandLine } from '../../../contracts/core/command-line.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import { isOwnAddress } from './forward.ts'

/** A task of the installer, which runs instead of opening the terminal. Secrets are never arguments. */
export type ProvisionTask =
  | { readonly kind: 'secret' }
  | { readonly kind: 'mail-password' }
  | { readonly kind: 'pin'; readonly staffId: string }
  | { readonly kind: 'restore'; readonly backup: string }
  | { readonly kind: 'support'; readonly file: string }
  | ({ readonly kind: 'enrol' } & EnrolArguments)
  | { readonly kind: 'doctor' }

export interface EnrolArguments {
  readonly code: string | null
  readonly service: string | null
  readonly certificate: string | null
}

export interface ShellOptions {
  readonly profile: string | null
  readonly data: string | null
  readonly lane: string | null
  readonly kiosk: boolean
  readonly provision: ProvisionTask | null
}

/**
 * Parses the shell's own arguments. Ignores unknown ones, which may be Chromium's switches; but a package accepts no
 * other profile. Throws TerminalRefused.
 */
export function readShellOptions(args: readonly string[], packaged: boolean): ShellOptions {
  const values = readValues(args)
  const {
    profile = null,
    data = null,
    lane = null,
    restore: backup,
    enrol,
    service = null,
    certificate = null,
  } = values
  const { 'set-pin': staffId, 'support-file': supportFile } = values
  // The lane number has two digits: it is part of the data folder’s name, and profiles allow no other format.
  if (lane !== null && !/^\d{2}$/.test(lane))
    throw wrong(`--lane needs the two digits of a lane, such as 02, not "${lane}".`)
  const tasks: ProvisionTask[] = [
    ...(values['provision-secret'] ? [{ kind: 'secret' } as const] : []),
    ...(values['provision-mail-password'] ? [{ kind: 'mail-password' } as const] : []),
    ...(staffId === undefined ? [] : [{ kind: 'pin', staffId } as const]),
    ...(backup === undefined ? [] : [{ kind: 'restore', backup: path.resolve(backup) } as const]),
    ...(supportFile === undefined ? [] : [{ kind: 'support', file: path.resolve(supportFile) } as const]),
    ...(enrol === undefined
      ? []
      : [{ kind: 'enrol', code: enrol === '-' ? null : enrol, service, certificate } as const]),
    ...(values.doctor ? [{ kind: 'doctor' } as const] : []),
  ]
  if (tasks.length > 1)
    throw wrong(
      '--provision-secret, --provision-mail-password, --set-pin, --restore, --support-file, --doctor and --enrol ' +
        'cannot be combined. Give one of them.',
    )
  if (packaged && profile !== null) throw wrong('This package has the profile of its store: --profile is not accepted.')
  if (!packaged && profile === null) throw wrong('--profile is missing.')
  return {
    profile: profile === null ? null : path.resolve(profile),
    data: data === null ? null : path.resolve(data),
    lane,
    kiosk: values.kiosk,
    provision: tasks[0] ?? null,
  }
}

function readValues(args: readonly string[]) {
  const complete = args.map((arg, at) =>
    arg === '--enrol' && (args[at + 1] ?? '--').startsWith('--') ? '--enrol=-' : arg,
  )
  try {
    return readCommandLine(complete, {
      texts: 'profile data lane set-pin restore support-file enrol service certificate',
      flags: 'kiosk provision-secret provision-mail-password doctor',
      lenient: true,
    }).values
  } catch (error) {
    throw error instanceof CommandLineError ? wrong(`${error.values.option} needs a value.`) : error
  }
}

const wrong = (message: string): TerminalRefused => new TerminalRefused(message, 2)

interface Frame {
  readonly parent: unknown
  readonly url: string
}
interface CallEvent {
  readonly senderFrame: Frame | null
}
type Answer<Event> = (event: Event, argument: unknown) => unknown

export type ShellCalls<Event> = Readonly<Record<`shell:${string}`, Answer<Event>>>

/**
 * Registers the shell’s functions. Answers only the top frame of the terminal’s own pages, in case a window contains
 * other content.
 */
export function answerShellCalls<Event extends CallEvent>(
  ipc: { handle(channel: string, listener: Answer<Event>): unknown },
  calls: ShellCalls<Event>,
): void {
  for (const [channel, reply] of Object.entries(calls)) {
    ipc.handle(channel, (event, argument) => {
      if (!isOwnTopFrame(event.senderFrame)) throw new Error('refused')
      return reply(event, argument)
    })
  }
}

const isOwnTopFrame = (frame: Frame | null): boolean =>
  frame !== null && frame.parent === null && isOwnAddress(frame.url)

/** Removes the variable that makes Electron run as plain Node, which is inherited from an editor’s terminal window. */
export function withoutNodeMode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _inherited, ...others } = environment
  return others
}
