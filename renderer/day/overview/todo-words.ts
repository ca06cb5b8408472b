import { useWords } from '../../core/i18n/words.tsx'
import { useClockWords } from '../../operations/status-bar/status-bar.tsx'
import { useDeviceWords } from '../../operations/status-bar/device-status.tsx'
import type { Todo } from './todos.ts'

type Section = 'queue' | 'receipts' | 'held' | 'day' | 'echo' | 'devices' | 'terminal' | 'audit'
interface TodoWords {
  readonly text: string
  readonly help: string | null
  /** The page on which it is seen to. */
  readonly section: Section
}

const PAGES = {
  undecided: 'queue',
  unsent: 'queue',
  central: 'echo',
  receipts: 'receipts',
  held: 'held',
  drawers: 'day',
  device: 'devices',
  backup: 'terminal',
  clock: 'terminal',
  room: 'terminal',
  bundle: 'audit',
  certificate: 'echo',
  unchecked: 'echo',
} as const satisfies Record<Todo['kind'], Section>

/** What is to do, what helps, and where. */
export function useTodoWords(todo: Todo): TodoWords {
  const { t, format } = useWords()
  const device = useDeviceWords(
    todo.kind === 'device' ? todo.device.role : 'printer',
    todo.kind === 'device' ? todo.device : undefined,
  )
  const clock = useClockWords(todo.kind === 'clock' ? todo.clock : { state: 'right', aheadSeconds: null })
  const said = (text: string, help: string | null = null): TodoWords => ({ text, help, section: PAGES[todo.kind] })
  switch (todo.kind) {
    case 'undecided':
    case 'receipts':
    case 'held':
    case 'drawers':
      return said(t(`overview.${todo.kind}`, { count: todo.count }))
    case 'unsent':
      return said(t('overview.unsent', { count: todo.count }), t('overview.unsentHelp'))
    case 'central':
    case 'unchecked':
      return said(t(`overview.${todo.kind}`), t(`overview.${todo.kind}Help`))
    case 'device':
      return said(t('overview.device', { name: device.name, state: device.state }), device.help)
    case 'clock':
      return said(t('overview.clock', { state: clock.state }), clock.help)
    case 'bundle': {
      const { kind, number } = todo.bundle
      return said(t(`overview.bundle.${kind}`), t(`overview.bundleHelp.${kind}`, { number: String(number ?? '?') }))
    }
    case 'room':
      return said(
        t('overview.room', { state: t(`terminalPage.roomState.${todo.room.state}`) }),
        t(`terminalPage.roomHelp.${todo.room.state}`, {
          free: format.miles(todo.room.freeMb),
          needed: format.miles(todo.room.neededMb),
        }),
      )
    case 'backup': {
      const { backup } = todo
      if (!backup) return said(t('overview.backup', { state: t('overview.backupNone') }))
      const state =
        backup.outcome === 'kept' ? t('overview.backupOld') : t(`terminalPage.backupOutcome.${backup.outcome}`)
      return said(t('overview.backup', { state }), t('overview.backupAt', { time: format.dateTime(backup.at) }))
    }
    case 'certificate':
      return said(
        t('overview.certificate', { host: todo.host, day: format.day(todo.validTo) }),
        t('overview.certificateHelp'),
      )
  }
}
