import type { TerminalEvent } from '../../contracts/events.ts'
import { notify } from './notices.ts'

/** The services are gone, or back: the second takes the place of the first. */
const TOPIC = 'central-turned'

/** Told by the backend, which leaves out what lasts shorter than the profile's `noticeAfterMs`. */
export function notifyCentralTurned({ now, state, since }: Extract<TerminalEvent, { type: 'central-turned' }>): void {
  if (now === 'back')
    notify('success', ({ t, format }) => t('centralTurn.back', { time: format.time(since) }), { topic: TOPIC })
  else
    notify(
      'warning',
      ({ t, format }) => {
        const gone = t('centralTurn.gone', { what: t(`central.what.${state}`), time: format.time(since) })
        return `${gone} ${t(`central.todo.${state}`)}`
      },
      { topic: TOPIC },
    )
}
