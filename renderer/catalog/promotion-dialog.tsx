import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { nameColumnOf } from '../../contracts/catalog/cells.ts'
import {
  fieldsOf,
  PROMOTION_BUYERS,
  type PromotionField,
  readPromotion,
  REWARD_FIELDS,
  type RewardKind,
  REWARDS,
  WEEKDAYS,
} from '../../contracts/catalog/promotion-fields.ts'
import type { Promotion } from '../../contracts/catalog/promotions.ts'
import { LANGUAGES, LOCALES } from '../../contracts/i18n/languages.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { DateField } from '../core/ui/date-field.tsx'
import { useTries } from '../core/ui/focus.ts'
import styles from './catalog.module.css'
import { Check, Field, FormDialog, Group, type PromotionForm, RemoveDialog, SelectField } from './fields.tsx'
import { PromotionItemsField } from './promotion-items-field.tsx'
import { PromotionTrial } from './promotion-trial.tsx'

const NEW: PromotionForm['draft'] = { reward: 'set-price', items: '', buyers: 'everyone', priority: '100', percent: '' }

/** Form that changes a promotion, or adds one (`promotion` null). */
export function PromotionDialog({
  promotion,
  onClose,
  onDone,
}: {
  readonly promotion: Promotion | null
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t, format } = useI18n()
  const [draft, setDraft] = useState<PromotionForm['draft']>(() => (promotion ? fieldsOf(promotion) : NEW))
  const [removing, setRemoving] = useState(false)
  const { tried, attempt, form } = useTries()
  const read = readPromotion((field) => draft[field] ?? '', true)
  const entered = 'promotion' in read ? read.promotion : null
  const shown: PromotionForm = {
    draft,
    set: (field, text) => setDraft((before) => ({ ...before, [field]: text })),
    wrong: (field) => {
      const found = tried && 'wrong' in read ? read.wrong.find(([one]) => one === field) : undefined
      return found ? t(`catalog.promotions.wrong.${found[1]}`) : null
    },
  }
  const save = useMutation({
    mutationFn: (given: NonNullable<typeof entered>) =>
      catalogApi.savePromotion({
        how: promotion ? 'change' : 'add',
        promotion: given,
        ...(promotion ? { seen: promotion } : {}),
      }),
    onError: onDone,
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.promotions.saved'))
    },
  })
  const submit = (): void => {
    attempt()
    if (entered && !save.isPending) save.mutate(entered)
  }
  if (removing && promotion)
    return (
      <RemoveDialog
        kind="promotions"
        names={promotion.names}
        remove={() => catalogApi.removePromotion(promotion.id)}
        onBack={() => setRemoving(false)}
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    )
  return (
    <FormDialog
      title={
        promotion
          ? t('catalog.promotions.edit', { name: format.text(promotion.names) })
          : t('catalog.promotions.addTitle')
      }
      form={form}
      busy={save.isPending}
      error={save.error}
      onSave={submit}
      onClose={onClose}
      more={
        promotion && (
          <Button size="l" icon={<Trash2 />} isDisabled={save.isPending} onPress={() => setRemoving(true)}>
            {t('catalog.promotions.remove')}
          </Button>
        )
      }
    >
      <NameFields form={shown} isNew={promotion === null} />
      <RewardFields form={shown} />
      <TimeFields form={shown} tried={tried} />
      <ConditionFields form={shown} />
      <PromotionTrial promotion={entered} onAttempt={attempt} />
    </FormDialog>
  )
}

function TextOf({
  form: { draft, set, wrong },
  field,
  label,
  hint,
}: {
  readonly form: PromotionForm
  readonly field: PromotionField
  readonly label: string
  readonly hint?: string
}) {
  return (
    <Field
      label={label}
      value={draft[field] ?? ''}
      onChange={(text) => set(field, text)}
      wrong={wrong(field)}
      {...(hint === undefined ? {} : { hint })}
    />
  )
}

function NameFields({ form: { draft, set, wrong }, isNew }: { readonly form: PromotionForm; readonly isNew: boolean }) {
  const { t } = useI18n()
  return (
    <div className={`stack-3 start ${styles['split']}`}>
      <Field
        label={t('catalog.promotions.id')}
        value={draft.id ?? ''}
        onChange={(id) => set('id', id.trim())}
        max={40}
        hint={t('catalog.promotions.idHint')}
        readOnly={!isNew}
        autoFocus={isNew}
        wrong={wrong('id')}
      />
      {LOCALES.map((locale) => (
        <Field
          key={locale}
          label={t('catalog.coupons.name', { language: LANGUAGES[locale].name })}
          paper
          value={draft[nameColumnOf(locale)] ?? ''}
          onChange={(name) => set(nameColumnOf(locale), name)}
          max={60}
          wrong={wrong(nameColumnOf(locale))}
        />
      ))}
    </div>
  )
}

function RewardFields({ form }: { readonly form: PromotionForm }) {
  const { t } = useI18n()
  const kind: RewardKind = REWARDS.find((one) => one === form.draft.reward) ?? 'set-price'
  return (
    <Group title={t('catalog.promotions.rewardTitle')}>
      <SelectField
        label={t('catalog.promotions.reward')}
        value={kind}
        options={REWARDS}
        texts={(one) => t(`catalog.promotions.rewardKind.${one}`)}
        onChange={(one) => form.set('reward', one)}
      />
      {REWARD_FIELDS[kind].map((field) =>
        field === 'get_items' ? null : (
          <TextOf
            key={field}
            form={form}
            field={field}
            label={t(
              `catalog.promotions.field.${field === 'units' && kind === 'buy-get' ? 'buy' : (field as 'units')}`,
            )}
            {...(kind === 'buy-get' && field === 'percent' ? { hint: t('catalog.promotions.freeHint') } : {})}
          />
        ),
      )}
      <PromotionItemsField form={form} field="items" label={t('catalog.promotions.itemsColumn')} />
      {kind === 'buy-get' && (
        <PromotionItemsField form={form} field="get_items" label={t('catalog.promotions.getItems')} />
      )}
    </Group>
  )
}

function TimeFields({ form, tried }: { readonly form: PromotionForm; readonly tried: boolean }) {
  const { t } = useI18n()
  const { draft, set, wrong } = form
  const days = (draft.weekdays ?? '').split(' | ')
  return (
    <Group title={t('catalog.promotions.timesTitle')}>
      {(['from_day', 'until_day'] as const).map((field) => (
        <DateField
          key={field}
          label={t(field === 'from_day' ? 'catalog.coupons.from' : 'catalog.coupons.until')}
          value={draft[field] ?? ''}
          onChange={(day) => set(field, day)}
          hint={t('catalog.coupons.minimumHint')}
          tried={tried}
          optional
          wrong={wrong(field)}
        />
      ))}
      <TextOf form={form} field="from_time" label={t('catalog.promotions.fromTime')} hint="09:00" />
      <TextOf
        form={form}
        field="until_time"
        label={t('catalog.promotions.untilTime')}
        hint={t('catalog.promotions.untilTimeHint')}
      />
      <div role="group" aria-label={t('catalog.promotions.weekdays')} className={`wrap-3 ${styles['wide']}`}>
        {WEEKDAYS.map((day) => (
          <Check
            key={day}
            label={t(`catalog.promotions.days.${day}`)}
            isOn={days.includes(day)}
            onChange={(isOn) =>
              set('weekdays', WEEKDAYS.filter((one) => (one === day ? isOn : days.includes(one))).join(' | '))
            }
          />
        ))}
        <span className="note">{t('catalog.promotions.weekdaysHint')}</span>
      </div>
    </Group>
  )
}

function ConditionFields({ form }: { readonly form: PromotionForm }) {
  const { t } = useI18n()
  const { draft, set } = form
  const optional = { form, hint: t('catalog.coupons.minimumHint') }
  return (
    <Group title={t('catalog.promotions.conditionsTitle')}>
      <SelectField
        label={t('catalog.promotions.buyers')}
        value={PROMOTION_BUYERS.find((one) => one === draft.buyers) ?? 'everyone'}
        options={PROMOTION_BUYERS}
        texts={(one) => t(`catalog.promotions.buyersKind.${one}`)}
        onChange={(one) => set('buyers', one)}
      />
      <TextOf {...optional} field="minimum" label={t('catalog.coupons.minimum')} />
      <TextOf {...optional} field="minimum_units" label={t('catalog.promotions.minimumUnits')} />
      <PromotionItemsField form={form} field="counts" label={t('catalog.promotions.counts')} />
      <TextOf {...optional} field="needs" label={t('catalog.promotions.needs')} />
      <TextOf {...optional} field="most" label={t('catalog.promotions.most')} />
      <TextOf form={form} field="priority" label={t('catalog.promotions.priority')} />
      <Check
        label={t('catalog.promotions.stackable')}
        isOn={draft.stackable === 'yes'}
        onChange={(isOn) => set('stackable', isOn ? 'yes' : 'no')}
      />
      <p className={`note ${styles['wide']}`}>{t('catalog.promotions.stackableHint')}</p>
    </Group>
  )
}
