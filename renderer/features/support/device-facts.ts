import type { SupportFile } from '../../../contracts/api/support.ts'
import { STATISTICS } from '../../../contracts/device-statistics.ts'
import type { Fact, Speech } from './fact.ts'

const NAMES = {
  'card-reader': 'status.cardReader',
  scanner: 'status.scanner',
  printer: 'status.printer',
  drawer: 'status.drawer',
  'line-display': 'status.lineDisplay',
  'card-terminal': 'status.cardTerminal',
} as const
const STATES = {
  ready: 'status.ready',
  connecting: 'status.connecting',
  unavailable: 'status.unavailable',
  'needs-attention': 'status.needsAttention',
  'not-configured': 'status.notConfigured',
} as const
const JOBS = ['confirmed', 'sent', 'unknown', 'failed'] as const

/** Each device: how it is, what is the matter, and what it counted. */
export const devicesOf = ({ devices }: SupportFile, { t }: Speech): Fact[] =>
  (devices?.list ?? []).map(({ role, state, trouble, code, statistics, jobs }): Fact => [
    t(NAMES[role]),
    [
      t(STATES[state]),
      ...(trouble === null ? [] : [t(`devices.trouble.${trouble}`, { holder: 'none' })]),
      ...(code === null ? [] : [code]),
      ...(jobs === null ? [] : JOBS.map((job) => t(`devices.jobs.${job}`, { count: jobs[job] }))),
      ...STATISTICS.flatMap((name) => {
        const count = statistics[name]
        return count === undefined ? [] : [t(`devices.count.${name}`, { count })]
      }),
    ].join(' · '),
  ])
