import { z } from 'zod'
import { hasUnprintable, startable, type LaneStart } from './lane-start.ts'

/** The unit's name, and so the one by which `systemctl --user` knows it. */
export const UNIT_NAME = 'milepost.service'
/** Ends that another start does not mend: wrong arguments, profile or secret (2), data missing (4). */
const FINAL_EXIT_CODES = [2, 4]
/** From this version on systemd waits longer after each failure (NEWS of systemd 254). */
const GROWING_WAITS_SINCE = 254
const FIRST_WAIT_SECONDS = 2
const LONGEST_WAIT_SECONDS = 60
const STEPS = 5

/**
 * The unit that starts a lane with a person's graphical session and again whenever it ends. `systemd`: its version;
 * null where it is not known. Throws an Error for a path that no unit can hold.
 */
export function systemdUnit(start: LaneStart, systemd: number | null): string {
  const grows = systemd !== null && systemd >= GROWING_WAITS_SINCE
  return [
    '[Unit]',
    'Description=Milepost point-of-sale terminal',
    'PartOf=graphical-session.target',
    'After=graphical-session.target',
    '# It is tried for as long as the session lasts.',
    'StartLimitIntervalSec=0',
    `X-Milepost-Data=${JSON.stringify(lineOf(start.dataFolder))}`,
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${startable(start).map(quoted).join(' ')}`,
    `WorkingDirectory=${specifiersAsTheyStand(lineOf(start.workingFolder))}`,
    'Restart=always',
    `RestartSec=${FIRST_WAIT_SECONDS}`,
    ...(grows ? [`RestartSteps=${STEPS}`, `RestartMaxDelaySec=${LONGEST_WAIT_SECONDS}`] : []),
    '# What a start cannot mend is told once, in the journal of the session.',
    `RestartPreventExitStatus=${FINAL_EXIT_CODES.join(' ')}`,
    '# The terminal ends its own parts in order: a sale that is being saved is saved.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '',
    '[Install]',
    'WantedBy=graphical-session.target',
    '',
  ].join('\n')
}

/** The data folder that a unit starts a lane on; null where it says none. */
export function folderOfUnit(text: string): string | null {
  try {
    return z.string().parse(JSON.parse(/^X-Milepost-Data=(.+)$/m.exec(text)?.[1] ?? ''))
  } catch {
    return null
  }
}

function lineOf(text: string): string {
  if (hasUnprintable(text)) throw new Error(`A unit cannot hold this path: ${JSON.stringify(text)}`)
  return text
}

const specifiersAsTheyStand = (text: string): string => text.replaceAll('%', '%%')

/**
 * An argument of ExecStart as systemd takes it apart (systemd.service(5), "Command lines"): in quotes, with its
 * escapes; `%` begins a specifier and `$` a variable.
 */
function quoted(argument: string): string {
  const escaped = specifiersAsTheyStand(lineOf(argument)).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped.replaceAll('$', '$$$$')}"`
}
