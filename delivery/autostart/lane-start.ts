/** How a lane is started, whatever starts it. */
export interface LaneStart {
  /** The program and its arguments, each as the program is to see it. */
  readonly command: readonly [string, ...string[]]
  /** Absolute. */
  readonly workingFolder: string
  /** Absolute. */
  readonly dataFolder: string
}

/** What systemd refuses in the name of a program, or GLib looks up as it is written. */
const HARD_FOR_A_PROGRAM = /["'\\`$%]/

/** The command, by a shell where the program's own path is one that not everybody can start. */
export const startable = ({ command }: LaneStart): readonly [string, ...string[]] =>
  HARD_FOR_A_PROGRAM.test(command[0]) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...command] : command

/** A line's end, or another sign that no line of a settings file can hold. */
export const hasUnprintable = (text: string): boolean => /\p{Cc}/u.test(text)

/** The program of a unit or an entry, which needs no escapes: what does is started by a shell. */
export const programOf = (text: string): string | null => /^Exec(?:Start)?="([^"]+)"/m.exec(text)?.[1] ?? null
