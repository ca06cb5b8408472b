import { ClockAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ClockHealth } from '../../../contracts/api/diagnostics.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Explain } from './explain.tsx'

const HELP = {
  'off-central': 'status.clockOffCentralHelp',
  'off-store': 'status.clockOffStoreHelp',
  'before-journal': 'status.clockBeforeJournalHelp',
} as const satisfies Record<Exclude<ClockHealth['state'], 'right'>, string>

/**
 * How far the clock is off, in the largest unit that says it, and what to do. Also used by the page of the terminal.
 */
export function useClockWords({ state, aheadSeconds }: ClockHealth) {
  const { t } = useWords()
  if (state === 'right')
    return { state: t('status.clockRight'), help: t('status.clockRightHelp'), signal: 'ok' } as const
  const seconds = aheadSeconds ?? 0
  const count = Math.abs(seconds)
  const [unit, size] =
    count >= 172_800
      ? (['days', 86_400] as const)
      : count >= 7_200
        ? (['hours', 3_600] as const)
        : count >= 60
          ? (['minutes', 60] as const)
          : (['seconds', 1] as const)
  const by = t(`status.clockBy.${unit}`, { count: Math.round(count / size) })
  return {
    state: t(seconds > 0 ? 'status.clockAhead' : 'status.clockBehind', { by }),
    help: t(HELP[state]),
    signal: 'problem',
  } as const
}

export function WrongClock({ clock }: { readonly clock: ClockHealth }) {
  const { t } = useWords()
  return <Explain {...useClockWords(clock)} name={t('status.clockName')} icon={<ClockAlert />} />
}

/** Until the backend has said how right its clock is, nothing is wrong with it. */
const UNCOMPARED: ClockHealth = { state: 'right', aheadSeconds: null }

export function Clock() {
  const { t, format } = useWords()
  const [now, setNow] = useState(() => new Date().toISOString())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const clock = useClockWords(useEvents((state) => state.maintenance?.clock) ?? UNCOMPARED)
  return (
    <Explain name={t('status.clock')} state={format.time(now)} signal="clock" help={clock.help}>
      <p>
        <time dateTime={now.slice(0, 16)}>{format.dateTime(now)}</time>
      </p>
    </Explain>
  )
}
