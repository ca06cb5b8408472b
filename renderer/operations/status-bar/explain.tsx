import { Check, Ellipsis, Minus, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button as AriaButton, Dialog, DialogTrigger, Heading, Popover } from 'react-aria-components'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useShell } from '../../core/state/window.ts'
import styles from './status-bar.module.css'
import type { CentralState } from '../../../contracts/operations/diagnostics.ts'

export type Signal = 'ok' | 'busy' | 'problem' | 'neutral' | 'training' | 'person' | 'place' | 'clock'

const MARKS = {
  ok: <Check />,
  busy: <Ellipsis />,
  problem: <TriangleAlert />,
  neutral: <Minus />,
  training: null,
  person: null,
  place: null,
  clock: null,
} as const

/**
 * An entry of the status bar: an icon, a state and a mark. It opens an explanation with the remedy. The explanation
 * stays open until it is closed or an action runs.
 */
export function Explain({
  name,
  state,
  signal,
  icon,
  help,
  detail = null,
  children,
}: {
  readonly name: string
  readonly state: string
  readonly signal: Signal
  readonly icon?: ReactNode
  readonly help?: string
  readonly detail?: string | null
  readonly children?: ReactNode
}) {
  const { t } = useI18n()
  const id = useId()
  const open = useShell(({ explained }) => explained === id)
  return (
    <DialogTrigger isOpen={open} onOpenChange={(next) => useShell.setState({ explained: next ? id : null })}>
      <AriaButton className={`flex middle target round-s borderless ${styles['entry']} ${styles[signal]}`}>
        {icon && (
          <span className={`inline dim ${styles['entryIcon']}`} aria-hidden="true">
            {icon}
          </span>
        )}
        <span className={`grid nowrap ${styles['entryText']}`}>
          <span className={`text-xs dim ${styles['entryName']}`}>{name}</span>
          {state && (
            <span className={`inline middle text-s weight-600 ${styles['entryState']}`}>
              {MARKS[signal] && (
                <span className={`inline ${styles['mark']}`} aria-hidden="true">
                  {MARKS[signal]}
                </span>
              )}
              <span className={styles['word']}>{state}</span>
            </span>
          )}
        </span>
      </AriaButton>
      <Popover className={`scroll framed surface-1 ${styles['popover']}`} placement="bottom">
        <Dialog className={`stack-3 pad-4 ${styles['dialog']}`}>
          <Heading slot="title">
            {name}
            {state && <span className={`dim ${styles['popoverState']}`}>{state}</span>}
          </Heading>
          {help && <p>{help}</p>}
          {detail && (
            <p className={`grid anywhere ${styles['detail']} selectable`}>
              <span>{t('status.detail')}</span>
              {detail}
            </p>
          )}
          {children}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

export function useServicesTexts(): (state: CentralState) => {
  readonly state: string
  readonly what: string
  readonly help: string
} {
  const { t } = useI18n()
  return (state) => ({
    state: t(`central.state.${state}`),
    what: t(`central.what.${state}`),
    help: `${t(`central.what.${state}`)} ${t(`central.todo.${state}`)}`,
  })
}

/**
 * Returns a system error code such as ECONNREFUSED, which is language-independent; null for a sentence, which is only
 * for the log.
 */
export const causeCode = (reason: string | null): string | null =>
  reason !== null && /^[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*$/.test(reason) ? reason : null
