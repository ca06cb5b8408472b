import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { SETTING_NAMES } from '../../../contracts/staff/setting-names.ts'
import type { WaitingChange, WaitingChanges } from '../../../contracts/staff/settings.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { useSettingTexts } from '../settings/setting-table.tsx'
import styles from './staff-page.module.css'

const WAITING = ['waiting-changes']
const LOOK_AGAIN_MS = 15_000

/**
 * Lists changes of other lanes that take effect at this lane only after a manager confirms them; empty if no change
 * waits.
 */
export function WaitingChangesList({ onDone }: { readonly onDone: () => void }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const waiting = useQuery({
    queryKey: WAITING,
    queryFn: storeApi.waitingChanges,
    refetchInterval: LOOK_AGAIN_MS,
    gcTime: 0,
  })
  const { refetch } = waiting
  if (waiting.isError) return <LoadFailed error={waiting.error} retry={() => void refetch()} />
  const changes = waiting.data?.changes ?? []
  if (changes.length === 0) return null
  const decide = async (run: () => Promise<WaitingChanges>, messageKey: 'people.confirmed' | 'people.refused') => {
    try {
      await showAnswer(queries, WAITING, await run())
      clearProblems()
      notify('success', (i18n) => i18n.t(messageKey))
      onDone()
    } catch (error) {
      report(error)
      void refetch()
    }
  }
  return (
    <section aria-label={t('people.waiting')} className={pageStyles['section']}>
      <h3>{t('people.waiting')}</h3>
      <p>{t('people.waitingHelp')}</p>
      <TableWrap>
        <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('people.waiting')}>
          <thead>
            <tr>
              <th scope="col">{t('people.change')}</th>
              <th scope="col">{t('people.madeBy')}</th>
              <th scope="col">
                <span className="sr-only">{t('people.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <Row
                key={`${change.kind} ${change.subject} ${change.clock} ${change.lane}`}
                change={change}
                onConfirm={() => decide(() => storeApi.confirmChange(keyOf(change)), 'people.confirmed')}
                onRefuse={() => decide(() => storeApi.refuseChange(keyOf(change)), 'people.refused')}
              />
            ))}
          </tbody>
        </table>
      </TableWrap>
    </section>
  )
}

const keyOf = ({ kind, subject, clock, lane }: WaitingChange) => ({ kind, subject, clock, lane })

interface RowProps {
  readonly change: WaitingChange
  readonly onConfirm: () => Promise<void>
  readonly onRefuse: () => Promise<void>
}

function Row({ change, onConfirm, onRefuse }: RowProps) {
  const { t, format } = useI18n()
  const { title, details } = useChangeTexts(change)
  const [busy, setBusy] = useState(false)
  const { by, lane, at } = change
  const run = (decide: () => Promise<void>): void => {
    setBusy(true)
    void decide().finally(() => setBusy(false))
  }
  return (
    <tr>
      <th scope="row" className="prose">
        <span className={`gap-1 justify-start ${styles['changed']}`}>
          {title}
          {details.map((detail) => (
            <small key={detail}>{detail}</small>
          ))}
        </span>
      </th>
      <td>{t('people.madeAt', { name: by ?? t('people.storeProfile'), lane, time: format.dateTime(at) })}</td>
      <td className="right nowrap">
        <Button
          icon={<X />}
          isDisabled={busy}
          aria-label={t('people.refuseOf', { change: title })}
          onPress={() => run(onRefuse)}
        >
          {t('people.refuse')}
        </Button>
        <Button
          icon={<Check />}
          look="primary"
          isDisabled={busy}
          aria-label={t('people.confirmOf', { change: title })}
          onPress={() => run(onConfirm)}
        >
          {t('people.confirm')}
        </Button>
      </td>
    </tr>
  )
}

function useChangeTexts({ what }: WaitingChange): { readonly title: string; readonly details: readonly string[] } {
  const { t } = useI18n()
  const settings = useSettingTexts()
  switch (what.of) {
    case 'person': {
      const before = what.before === null ? t('people.notHere') : t(`signIn.${what.before}`)
      return {
        title: t('people.roleOf', { name: what.name, role: t(`signIn.${what.role}`) }),
        details: [
          t('people.roleBefore', { before }),
          ...(what.pinFrom === null ? [] : [t('people.pinFrom', { lane: what.pinFrom })]),
        ],
      }
    }
    case 'pin':
      return { title: t('people.pinSet', { name: what.name }), details: [t('people.pinBefore')] }
    case 'badge':
      return { title: t('people.badgeGiven', { name: what.name }), details: [] }
    case 'setting': {
      const name = SETTING_NAMES.find((one) => one === what.name)
      if (name === undefined) return { title: what.name, details: [] }
      const after = what.after.map((value) => settings.valueOf(name, value)).join(', ')
      return {
        title: t('people.settingTo', { name: settings.nameOf(name), value: after }),
        details: [t('people.settingBefore', { value: settings.valueOf(name, what.before) })],
      }
    }
  }
}
