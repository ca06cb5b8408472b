import { useI18n } from '../../core/i18n/i18n.ts'
import { useClockTexts } from '../../operations/status-bar/status-bar.tsx'
import { useDeviceTexts } from '../../operations/status-bar/device-status.tsx'
import type { Todo } from './todos.ts'

type Section = 'queue' | 'receipts' | 'held' | 'day' | 'echo' | 'devices' | 'terminal' | 'audit'
interface TodoTexts {
  readonly text: string
  readonly help: string | null
  readonly section: Section
}

const PAGES = {
  undecided: 'queue',
  unsent: 'queue',
  central: 'echo',
  receipts: 'receipts',
  emails: 'receipts',
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

export function useTodoTexts(todo: Todo): TodoTexts {
  const { t, format } = useI18n()
  const device = useDeviceTexts(
    todo.kind === 'device' ? todo.device.role : 'printer',
    todo.kind === 'device' ? todo.device : undefined,
  )
  const clock = useClockTexts(todo.kind === 'clock' ? todo.clock : { state: 'right', aheadSeconds: null })
  const todoText = (text: string, help: string | null = null): TodoTexts => ({ text, help, section: PAGES[todo.kind] })
  switch (todo.kind) {
    case 'undecided':
    case 'receipts':
    case 'emails':
    case 'held':
    case 'drawers':
      return todoText(t(`overview.${todo.kind}`, { count: todo.count }))
    case 'unsent':
      return todoText(t('overview.unsent', { count: todo.count }), t('overview.unsentHelp'))
    case 'central':
    case 'unchecked':
      return todoText(t(`overview.${todo.kind}`), t(`overview.${todo.kind}Help`))
    case 'device':
      return todoText(t('overview.device', { name: device.name, state: device.state }), device.help)
    case 'clock':
      return todoText(t('overview.clock', { state: clock.state }), clock.help)
    case 'bundle': {
      const { kind, number } = todo.bundle
      return todoText(t(`overview.bundle.${kind}`), t(`overview.bundleHelp.${kind}`, { number: String(number ?? '?') }))
    }
    case 'room':
      return todoText(
        t('overview.room', { state: t(`terminalPage.roomState.${todo.room.state}`) }),
        t(`terminalPage.roomHelp.${todo.room.state}`, {
          free: format.miles(todo.room.freeMb),
          needed: format.miles(todo.room.neededMb),
        }),
      )
    case 'backup': {
      const { backup } = todo
      if (!backup) return todoText(t('overview.backup', { state: t('overview.backupNone') }))
      const state =
        backup.outcome === 'kept' ? t('overview.backupOld') : t(`terminalPage.backupOutcome.${backup.outcome}`)
      return todoText(t('overview.backup', { state }), t('overview.backupAt', { time: format.dateTime(backup.at) }))
    }
    case 'certificate':
      return todoText(
        t('overview.certificate', { host: todo.host, day: format.day(todo.validTo) }),
        t('overview.certificateHelp'),
      )
  }
}
