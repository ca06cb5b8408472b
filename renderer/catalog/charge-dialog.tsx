import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { Charge } from '../../contracts/catalog/charges.ts'
import { CHARGE_ID, MAX_CHARGE_CHANGES } from '../../contracts/catalog/item-charges.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { isDay } from '../core/ui/date-text.ts'
import { useTries } from '../core/ui/focus.ts'
import styles from './catalog.module.css'
import { RemoveDialog, Field, FormDialog, SelectField } from './fields.tsx'
import { centsTyped, typedCents } from './typed-values.ts'

/** A deposit or fee as typed. `laterAmount` and `laterFrom`: its next planned amount. */
interface Draft {
  readonly id: string
  readonly kind: Charge['kind']
  readonly names: Names
  readonly amount: string
  readonly refund: string
  readonly laterAmount: string
  readonly laterFrom: string
}

const MOST_CENTS = 10_000

function draftOf(charge: Charge | null, today: string): Draft {
  const now = charge?.changes.findLast(({ from }) => from <= today) ?? charge
  const later = charge?.changes.find(({ from }) => from > today)
  return {
    id: charge?.id ?? '',
    kind: charge?.kind ?? 'deposit',
    names: charge?.names ?? {},
    amount: now ? typedCents(now.cents) : '',
    refund: now?.refundCents === undefined ? '' : typedCents(now.refundCents),
    laterAmount: later ? typedCents(later.cents) : '',
    laterFrom: later?.from ?? '',
  }
}

function amountTyped(text: string): number | null {
  const amount = centsTyped(text)
  return amount !== null && amount <= MOST_CENTS ? amount : null
}

/** Validates the draft. A planned amount gets the refund of the draft; without one, its refund equals its deposit. */
function read(draft: Draft, before: Charge | null, today: string) {
  const [amount, later] = [amountTyped(draft.amount), amountTyped(draft.laterAmount)]
  const refund = draft.refund === '' || draft.kind === 'fee' ? undefined : amountTyped(draft.refund)
  const hasLater = draft.laterAmount !== '' || draft.laterFrom !== ''
  const wrong = {
    id: !CHARGE_ID.test(draft.id),
    names: LOCALES.filter((locale) => LANGUAGES[locale].namesRequired && (draft.names[locale] ?? '').trim() === ''),
    amount: amount === null,
    refund: refund === null,
    laterAmount: hasLater && later === null,
    laterFrom: hasLater && (!isDay(draft.laterFrom) || draft.laterFrom <= today),
  }
  const isGood = Object.values(wrong).every((one) => (typeof one === 'boolean' ? !one : one.length === 0))
  if (!isGood || amount === null || refund === null) return { wrong, charge: null }
  const furtherPlanned = before?.changes.filter(({ from }) => from > today).slice(1) ?? []
  const back = refund === undefined ? {} : { refundCents: refund }
  const charge: z.input<typeof Charge> = {
    id: draft.id,
    kind: draft.kind,
    names: Object.fromEntries(
      LOCALES.flatMap((locale) => {
        const name = (draft.names[locale] ?? '').trim()
        return name === '' ? [] : [[locale, name]]
      }),
    ) as Charge['names'],
    cents: amount,
    ...back,
    changes: [
      ...(hasLater && later !== null ? [{ from: draft.laterFrom, cents: later, ...back }] : []),
      ...furtherPlanned.filter(({ from }) => from > draft.laterFrom),
    ].slice(0, MAX_CHARGE_CHANGES),
  }
  return { wrong, charge }
}

interface ChargeDialogProps {
  readonly charge: Charge | null
  readonly onClose: () => void
  readonly onDone: () => void
}

export function ChargeDialog({ charge, onClose, onDone }: ChargeDialogProps) {
  const { t, format } = useI18n()
  const [today] = useState(() => format.localDate(new Date().toJSON()))
  const [draft, setDraft] = useState(() => draftOf(charge, today))
  const [removing, setRemoving] = useState(false)
  const { tried, attempt, form } = useTries()
  const { wrong, charge: entered } = read(draft, charge, today)
  const save = useMutation({
    mutationFn: (given: z.input<typeof Charge>) =>
      catalogApi.saveCharge({ how: charge ? 'change' : 'add', charge: given, ...(charge ? { seen: charge } : {}) }),
    onError: onDone,
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.charges.saved'))
    },
  })
  if (removing && charge)
    return (
      <RemoveDialog
        kind="charges"
        names={charge.names}
        remove={() => catalogApi.removeCharge(charge.id)}
        onBack={() => setRemoving(false)}
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    )
  return (
    <FormDialog
      title={charge ? t('catalog.charges.edit', { name: format.text(charge.names) }) : t('catalog.charges.addTitle')}
      form={form}
      busy={save.isPending}
      error={save.error}
      onSave={() => {
        attempt()
        if (entered && !save.isPending) save.mutate(entered)
      }}
      onClose={onClose}
      more={
        charge && (
          <Button size="l" icon={<Trash2 />} isDisabled={save.isPending} onPress={() => setRemoving(true)}>
            {t('catalog.charges.remove')}
          </Button>
        )
      }
    >
      <Fields
        draft={draft}
        wrong={wrong}
        tried={tried}
        isNew={charge === null}
        set={(change) => setDraft((before) => ({ ...before, ...change }))}
      />
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly wrong: ReturnType<typeof read>['wrong']
  readonly tried: boolean
  readonly isNew: boolean
  readonly set: (change: Partial<Draft>) => void
}

function Fields({ draft, wrong, tried, isNew, set }: FieldsProps) {
  const { t } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <Field
        label={t('catalog.charges.id')}
        value={draft.id}
        onChange={(id) => set({ id: id.trim().toLowerCase() })}
        max={40}
        readOnly={!isNew}
        autoFocus={isNew}
        wrong={tried && wrong.id ? t('catalog.charges.idWrong') : null}
      />
      <SelectField
        label={t('catalog.charges.kind')}
        value={draft.kind}
        options={['deposit', 'fee'] as const}
        texts={(kind) => t(`catalog.charges.kinds.${kind}`)}
        onChange={(kind) => set({ kind })}
      />
      {LOCALES.map((locale) => (
        <Field
          key={locale}
          label={t('catalog.coupons.name', { language: LANGUAGES[locale].name })}
          paper
          value={draft.names[locale] ?? ''}
          onChange={(name) => set({ names: { ...draft.names, [locale]: name } })}
          max={40}
          wrong={tried && wrong.names.includes(locale) ? t('catalog.missing') : null}
        />
      ))}
      <Field
        label={t('catalog.charges.amount')}
        value={draft.amount}
        onChange={(amount) => set({ amount: amount.trim() })}
        max={7}
        wrong={tried && wrong.amount ? t('catalog.charges.amountWrong') : null}
      />
      {draft.kind === 'deposit' && (
        <Field
          label={t('catalog.charges.refund')}
          value={draft.refund}
          onChange={(refund) => set({ refund: refund.trim() })}
          max={7}
          hint={t('catalog.charges.refundHint')}
          wrong={tried && wrong.refund ? t('catalog.charges.amountWrong') : null}
        />
      )}
      <Field
        label={t('catalog.charges.laterAmount')}
        value={draft.laterAmount}
        onChange={(laterAmount) => set({ laterAmount: laterAmount.trim() })}
        max={7}
        hint={t('catalog.coupons.minimumHint')}
        wrong={tried && wrong.laterAmount ? t('catalog.charges.amountWrong') : null}
      />
      <DateField
        label={t('catalog.charges.laterFrom')}
        value={draft.laterFrom}
        onChange={(laterFrom) => set({ laterFrom })}
        hint={t('catalog.coupons.minimumHint')}
        tried={tried}
        optional
        wrong={tried && wrong.laterFrom ? t('catalog.charges.laterWrong') : null}
      />
    </div>
  )
}
