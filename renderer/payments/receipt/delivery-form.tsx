import { useQuery } from '@tanstack/react-query'
import { FileText, Mail } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { Locale } from '../../../contracts/core/locales.ts'
import { LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import { api } from '../../core/api/terminal-api.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { enqueue, useInFlight } from '../../core/state/command-queue.ts'
import { notify, report } from '../../core/state/notices.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { useTries } from '../../core/ui/focus.ts'
import { PaperWarning } from '../../core/ui/paper-warning.tsx'
import { saveBlob } from '../../core/ui/save-file.ts'
import { Choice } from '../../sales/changes/changes-menu.tsx'
import { closeDelivery } from './delivery.ts'
import styles from './delivery-form.module.css'

const LONGEST = { address: 254, name: 80, terms: 80, about: 200 } as const
/** Rough form of an e-mail address; the lane checks the address completely. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const BUYER_FIELDS = ['name', 'terms', 'about'] as const
type BuyerTexts = Readonly<Record<(typeof BUYER_FIELDS)[number], string>>
const NO_BUYER: BuyerTexts = { name: '', terms: '', about: '' }

/** Returns the buyer of the form; undefined without a name. */
function buyerOf(texts: BuyerTexts) {
  const [name, terms, about] = BUYER_FIELDS.map((field) => texts[field].trim())
  return name ? { name, ...(terms ? { terms } : {}), ...(about ? { about } : {}) } : undefined
}

export default function DeliveryForm({ saleId }: { readonly saleId: string }) {
  const { t, format } = useI18n()
  const emails = useTerminal(({ terminal }) => terminal?.emailsReceipts === true)
  const isManager = useTerminal(({ terminal }) => terminal?.signedIn?.role === 'manager')
  const receipt = useQuery({ queryKey: ['receipt', saleId], queryFn: () => api.receipt(saleId), retry: false })
  const [chosen, setLocale] = useState<Locale | null>(null)
  const locale = chosen ?? receipt.data?.document.locale ?? format.locale
  const [address, setAddress] = useState('')
  const [texts, setTexts] = useState(NO_BUYER)
  const { tried, attempt, form } = useTries()
  const sending = useInFlight('print')
  const buyer = buyerOf(texts)
  const nameMissing = buyer === undefined && BUYER_FIELDS.some((field) => texts[field].trim() !== '')
  const wrongAddress = !ADDRESS.test(address.trim())
  const send = (): void => {
    attempt()
    if (wrongAddress || nameMissing) return
    closeDelivery()
    void sendReceipt(saleId, { address: address.trim(), locale, buyer })
  }
  return (
    <Form
      ref={form}
      className="stack-4"
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        if (emails) send()
      }}
    >
      <div className={`grid gap-5 start ${styles['columns']}`}>
        <div className="stack-4">
          {emails && <Address value={address} onChange={setAddress} isWrong={tried && wrongAddress} />}
          <Choice
            label={t('delivery.language')}
            options={LOCALES}
            texts={(one) => LANGUAGES[one].name}
            value={locale}
            onChange={setLocale}
            missing={null}
          />
        </div>
        <Buyer texts={texts} onChange={setTexts} nameMissing={tried && nameMissing} />
      </div>
      <div className="stack-3 foot">
        {isManager && (
          <Button
            size="l"
            icon={<FileText />}
            isDisabled={sending}
            onPress={() => {
              attempt()
              if (!nameMissing) void saveInvoice(saleId, locale, buyer)
            }}
          >
            {t('delivery.save')}
          </Button>
        )}
        {emails && (
          <Button size="l" look="primary" type="submit" icon={<Mail />} isDisabled={sending}>
            {t('delivery.send')}
          </Button>
        )}
      </div>
    </Form>
  )
}

function Address({
  value,
  onChange,
  isWrong,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isWrong: boolean
}) {
  const { t } = useI18n()
  return (
    <>
      <p>{t('delivery.consent')}</p>
      <TextField
        autoFocus
        type="email"
        value={value}
        onChange={onChange}
        isInvalid={isWrong}
        className="stack-1 field ringed"
      >
        <Label>{t('delivery.address')}</Label>
        <Input maxLength={LONGEST.address} autoComplete="off" spellCheck="false" inputMode="email" />
        <FieldError>{t('delivery.addressWrong')}</FieldError>
      </TextField>
    </>
  )
}

/** The buyer on the invoice: optional, and needed for input tax credits from $500 (SOR/91-45, s. 3(c)). */
function Buyer({
  texts,
  onChange,
  nameMissing,
}: {
  readonly texts: BuyerTexts
  readonly onChange: (texts: BuyerTexts) => void
  readonly nameMissing: boolean
}) {
  const { t } = useI18n()
  return (
    <fieldset className={`stack-3 borderless ${styles['buyer']}`}>
      <legend className="note">{t('delivery.invoice')}</legend>
      {BUYER_FIELDS.map((field) => (
        <TextField
          key={field}
          value={texts[field]}
          onChange={(text) => onChange({ ...texts, [field]: text })}
          isInvalid={field === 'name' && nameMissing}
          className="stack-1 field ringed"
        >
          <Label>{t(`delivery.buyer.${field}`)}</Label>
          <Input maxLength={LONGEST[field]} autoComplete="off" />
          <PaperWarning text={texts[field]} />
          {field === 'name' && <FieldError>{t('delivery.nameMissing')}</FieldError>}
        </TextField>
      ))}
    </fieldset>
  )
}

type Given = Parameters<typeof api.emailReceipt>[1]

async function sendReceipt(saleId: string, given: Given): Promise<void> {
  try {
    await enqueue('print', () => api.emailReceipt(saleId, given))
    notify('info', ({ t }) => t('after.emailQueued'), { topic: `email ${saleId}` })
  } catch (error) {
    report(error)
  }
}

async function saveInvoice(saleId: string, locale: Locale, buyer: Given['buyer']): Promise<void> {
  try {
    const { fileName, pdf } = await storeApi.invoice(saleId, { locale, buyer })
    const bytes = Uint8Array.from(atob(pdf), (sign) => sign.charCodeAt(0))
    saveBlob(fileName, new Blob([bytes], { type: 'application/pdf' }))
    closeDelivery()
  } catch (error) {
    report(error)
  }
}
