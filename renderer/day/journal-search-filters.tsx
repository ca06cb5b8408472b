import { X } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { JournalFilter, JournalPage } from '../../contracts/day/search.ts'
import { JOURNAL_KINDS } from '../../contracts/day/report-kinds.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button } from '../core/ui/button.tsx'
import { ChoiceField, DayField, FilterRow, FormField, TextFilter } from '../core/ui/filter-fields.tsx'
import { useQuery } from '@tanstack/react-query'
import type { TracedCall } from '../../contracts/operations/call-traces.ts'
import { storeApi } from '../core/api/store-api.ts'
import { LoadFailed } from '../core/ui/page.tsx'
import styles from './journal-search.module.css'

export type Filter = z.input<typeof JournalFilter>

const LONGEST_ITEM = 80
const LONGEST_ID = 40
const LONGEST_AMOUNT = 10
const LAST4 = 4

const receiptOf = (text: string): string | null =>
  /^[A-Z0-9]{4,40}$/.test(text.toUpperCase()) ? text.toUpperCase() : null
const last4Of = (text: string): string | null => (/^\d{4}$/.test(text) ? text : null)
/** Parses an amount in the format of either language, 12.34 or 12,34, to cents; null if invalid. */
const amountOf = (text: string): string | null => {
  const [, dollars, share = ''] = /^\$?\s?(\d{1,6})(?:[.,](\d{1,2}))?(?:\s?\$)?$/.exec(text) ?? []
  return dollars === undefined ? null : String(Number(dollars + share.padEnd(2, '0')))
}

export function SearchFilters({
  filter,
  people,
  onChange,
}: {
  readonly filter: Filter
  readonly people: JournalPage['people']
  readonly onChange: (filter: Filter) => void
}) {
  const { t } = useI18n()
  const [cleared, setCleared] = useState(0)
  const set = (name: keyof Filter, value: string | null): void => {
    const { [name]: _was, ...others } = filter
    onChange(value === null || value === '' ? others : { ...others, [name]: value })
  }
  const day = (name: 'from' | 'to') => (
    <DayField key={`${name}-${cleared}`} label={t(`journalSearch.${name}`)} onChange={(value) => set(name, value)} />
  )
  return (
    <FilterRow label={t('journalSearch.filters')}>
      <TextFilter
        label={t('journalSearch.item')}
        value={filter.item ?? ''}
        longest={LONGEST_ITEM}
        onChange={(value) => set('item', value)}
      />
      <FormField
        key={`receipt-${cleared}`}
        label={t('journalSearch.receipt')}
        wrong={t('journalSearch.receiptInvalid')}
        longest={LONGEST_ID}
        whole={LAST4}
        read={receiptOf}
        onChange={(value) => set('receipt', value)}
      />
      <FormField
        key={`amount-${cleared}`}
        label={t('journalSearch.amount')}
        wrong={t('journalSearch.amountInvalid')}
        longest={LONGEST_AMOUNT}
        whole={1}
        read={amountOf}
        onChange={(value) => set('amountCents', value)}
      />
      <FormField
        key={`last4-${cleared}`}
        label={t('journalSearch.last4')}
        wrong={t('journalSearch.last4Invalid')}
        longest={LAST4}
        numeric
        read={last4Of}
        onChange={(value) => set('last4', value)}
      />
      <ChoiceField
        label={t('journalSearch.person')}
        value={filter.person ?? ''}
        onChange={(value) => set('person', value)}
      >
        <option value="">{t('journalSearch.anyone')}</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </ChoiceField>
      <ChoiceField label={t('journalSearch.kind')} value={filter.kind ?? ''} onChange={(value) => set('kind', value)}>
        <option value="">{t('journalSearch.everything')}</option>
        {JOURNAL_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`journalSearch.kinds.${kind}`)}
          </option>
        ))}
      </ChoiceField>
      {day('from')}
      {day('to')}
      {Object.keys(filter).length > 0 && (
        <Button
          icon={<X />}
          onPress={() => {
            setCleared(cleared + 1)
            onChange({})
          }}
        >
          {t('journalSearch.clear')}
        </Button>
      )}
    </FilterRow>
  )
}

export function CallTraces({ receipt }: { readonly receipt: string }) {
  const { t } = useI18n()
  const traces = useQuery({ queryKey: ['traces', receipt], queryFn: () => storeApi.traces(receipt) })
  return (
    <section className={`stack-3 text-s above-4 ${styles['traces']}`} aria-label={t('journalSearch.traces')}>
      <h3>{t('journalSearch.traces')}</h3>
      {traces.isPending && <p role="status">{t('journalSearch.tracesLoading')}</p>}
      {traces.isError && <LoadFailed error={traces.error} retry={() => void traces.refetch()} />}
      {traces.data?.calls.length === 0 && <p>{t('journalSearch.tracesNone')}</p>}
      {traces.data?.calls.map((call) => (
        <Call key={`${call.operation} ${call.purpose}`} call={call} />
      ))}
    </section>
  )
}

/** A step of a call shows the seconds since the first step; from this time on it shows its own date and time. */
const ELAPSED_LIMIT_MS = 60_000

function Call({ call: { purpose, trace, steps } }: { readonly call: TracedCall }) {
  const { t, format } = useI18n()
  const first = Date.parse(steps[0]?.at ?? '')
  // A call may take seconds, or days if it is retried.
  const whenOf = (at: string): string => {
    const ms = Date.parse(at) - first
    return ms === 0 || ms >= ELAPSED_LIMIT_MS
      ? format.dateTime(at)
      : t('journalSearch.stepLater', { seconds: Math.round(ms / 10) / 100 })
  }
  return (
    <div className="stack-1 selectable">
      <h4 className="flush">{t(`queue.kind.${purpose}`)}</h4>
      <p className={`anywhere flush ${styles['trace']} figures`}>
        <small>{t('queue.trace')}</small> {trace}
      </p>
      <ol>
        {steps.map(({ at, state, sent }, index) => (
          <li key={`${at} ${index}`}>
            <span className="figures">{whenOf(at)}</span> {t(`queue.states.${state}`)}
            {sent && state !== 'sent' && ` · ${t('journalSearch.stepSent')}`}
          </li>
        ))}
      </ol>
    </div>
  )
}
