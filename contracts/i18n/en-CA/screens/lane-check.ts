import type { LaneCheckId, LaneFindingCode, LaneState, ToDoCode } from '../../../operations/lane-check.ts'
import { LANE_FOUND, LANE_TODO } from './lane-check-findings.ts'

/** The lane check, on its page and in the installer’s CLI command. */
export default {
  laneCheck: {
    title: 'Check this lane',
    intro: 'Looks at this computer, its devices and its connection. Changes nothing; sales continue.',
    run: 'Check lane',
    running: 'Checking…',
    notRun: 'Not checked since the terminal was started.',
    notRunHelp: 'Press “Check lane”. It takes ten seconds at most.',
    checkedAt: 'Checked {time}.',
    progress: '{done} of {all} checked',
    ended:
      '{wrong, plural, =0 {Nothing is wrong} one {# problem} other {# problems}}{attention, plural, =0 {} ' +
      'one {, # needs attention} other {, # need attention}}.',
    askInstaller: 'Ask your installer (docs/lane.md, “Findings for the installer”).',
    todo: 'To do: {todo}',
    took: '{ms} ms',
    state: {
      running: 'Checking',
      ok: 'OK',
      attention: 'Attention',
      wrong: 'Problem',
      unseen: 'Not checked',
    } satisfies Record<LaneState | 'running', string>,
    check: {
      profile: 'Store profile',
      bundle: 'Store bundle',
      program: 'Program version',
      electron: 'Electron',
      folder: 'Data folder',
      key: 'Sealing key',
      secret: 'Client secret',
      database: 'Database',
      backup: 'Backups',
      disk: 'Disk',
      memory: 'Memory',
      clock: 'Clock',
      'time-zone': 'Time zone',
      devices: 'Devices',
      paper: 'Receipt paper',
      window: 'Window',
      display: 'Displays',
      autostart: 'Automatic start',
      power: 'Sleep',
      network: 'Network',
      certificates: 'Certificates',
      authorization: 'Authorization',
      'store-server': 'Store server',
    } satisfies Record<LaneCheckId, string>,
    found: LANE_FOUND satisfies Record<LaneFindingCode, string>,
    todoFor: LANE_TODO satisfies Record<ToDoCode, string>,
  },
} as const
