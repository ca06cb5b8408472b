import type { CentralState, EchoResult } from '../../../contracts/api/diagnostics.ts'
import { useWords } from '../../i18n/words.tsx'

/** The program's services in words, wherever a screen speaks of them: a name, what is the matter, and what to do. */
export function useCentralWords(): (state: CentralState) => {
  readonly state: string
  readonly what: string
  readonly help: string
} {
  const { t } = useWords()
  return (state) => ({
    state: t(`central.state.${state}`),
    what: t(`central.what.${state}`),
    help: `${t(`central.what.${state}`)} ${t(`central.todo.${state}`)}`,
  })
}

/** What an echo says of the services; null where it says something of this call alone. */
export function centralAfter(outcome: EchoResult['outcome']): CentralState | null {
  switch (outcome) {
    case 'approved':
      return 'online'
    case 'timeout':
    case 'unreachable':
    case 'token-unreachable':
      return 'offline'
    case 'outage':
      return 'outage'
    case 'no-token':
      return 'secret-refused'
    case 'refused':
    case 'server-error':
    case 'malformed':
      return null
  }
}

/**
 * The system's own name of a cause, which is of no language: ECONNREFUSED. A sentence of a program's is for its log.
 */
export const causeCode = (reason: string | null): string | null =>
  reason !== null && /^[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*$/.test(reason) ? reason : null
