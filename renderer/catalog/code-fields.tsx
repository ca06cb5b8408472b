import { Plus, Trash2 } from 'lucide-react'
import { readItemCharges, writeItemCharges } from '../../contracts/catalog/item-charges.ts'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { MAX_BLOCKED, MAX_CODES, MAX_RETURN_DAYS } from '../../contracts/catalog/goods.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import styles from './catalog.module.css'
import { Field } from './fields.tsx'
import { centsTyped, typedCents } from './typed-values.ts'

/** A pack as typed. `key` identifies its row. */
interface PackDraft {
  readonly key: number
  readonly barcode: string
  readonly pieces: string
  readonly price: string
}

/** The codes, packs and limits of an item as typed. Further codes are separated by spaces. */
export interface CodesDraft {
  readonly codes: string
  readonly packs: readonly PackDraft[]
  readonly most: string
  readonly days: string
  readonly blocked: string
  readonly charges: string
}

export const codesDraftOf = (item: Item | null): CodesDraft => ({
  codes: item?.codes?.join(' ') ?? '',
  packs: (item?.packs ?? []).map(({ barcode, quantity, priceCents }, key) => ({
    key,
    barcode,
    pieces: String(quantity),
    price: priceCents === undefined ? '' : typedCents(priceCents),
  })),
  most: item?.mostPerSale === undefined ? '' : String(item.mostPerSale),
  days: item?.returnDays === undefined ? '' : String(item.returnDays),
  blocked: item?.blocked ?? '',
  charges: writeItemCharges(item?.charges ?? []),
})

const CODE = /^[!-~]{1,80}$/
const codesTyped = (text: string): string[] => text.split(/\s+/).filter((code) => code !== '')
const piecesWrong = (pieces: string): boolean => !/^\d{1,3}$/.test(pieces) || Number(pieces) < 2

/** Returns the fields of the item from what was typed, and which of the typed values are wrong. */
export function readCodes({ codes, packs, most, days, blocked, charges: typed }: CodesDraft) {
  const charges = readItemCharges(typed)
  const further = codesTyped(codes)
  const wrong = {
    codes: further.length > MAX_CODES || !further.every((code) => CODE.test(code)),
    packs: packs
      .filter(
        ({ barcode, pieces, price }) =>
          !CODE.test(barcode) || piecesWrong(pieces) || (price !== '' && centsTyped(price) === null),
      )
      .map(({ key }) => key),
    charges: charges === undefined,
    returnDays: days !== '' && !(/^\d{1,4}$/.test(days) && Number(days) <= MAX_RETURN_DAYS),
    mostPerSale: most !== '' && !/^[1-9]\d{0,2}$/.test(most),
  }
  const fields = {
    ...(further.length === 0 ? {} : { codes: further }),
    ...(packs.length === 0
      ? {}
      : {
          packs: packs.map(({ barcode, pieces, price }) => {
            const priceCents = price === '' ? null : centsTyped(price)
            return { barcode, quantity: Number(pieces), ...(priceCents === null ? {} : { priceCents }) }
          }),
        }),
    ...(most === '' ? {} : { mostPerSale: Number(most) }),
    ...(days === '' ? {} : { returnDays: Number(days) }),
    ...(blocked.trim() === '' ? {} : { blocked: blocked.trim() }),
    ...(charges?.length ? { charges } : {}),
  }
  return { wrong, fields }
}

interface CodeFieldsProps {
  readonly draft: CodesDraft
  readonly wrong: ReturnType<typeof readCodes>['wrong']
  /** Whether saving was attempted: the form then shows its errors. */
  readonly tried: boolean
  readonly set: (change: Partial<CodesDraft>) => void
}

export function CodeFields({ draft, wrong, tried, set }: CodeFieldsProps) {
  const { t } = useI18n()
  const setPack = (key: number, change: Partial<PackDraft>): void =>
    set({ packs: draft.packs.map((pack) => (pack.key === key ? { ...pack, ...change } : pack)) })
  const nextKey = Math.max(-1, ...draft.packs.map(({ key }) => key)) + 1
  return (
    <>
      <div className={`stack-3 start ${styles['split']}`}>
        <Field
          label={t('catalog.items.codes')}
          value={draft.codes}
          onChange={(codes) => set({ codes })}
          max={500}
          hint={t('catalog.items.codesHint')}
          wrong={tried && wrong.codes ? t('catalog.items.codesWrong') : null}
        />
        <Field
          label={t('catalog.items.mostPerSale')}
          value={draft.most}
          onChange={(most) => set({ most: most.trim() })}
          max={3}
          hint={t('catalog.items.mostHint')}
          wrong={tried && wrong.mostPerSale ? t('sale.quantityRange') : null}
        />
        <Field
          label={t('catalog.items.returnDays')}
          value={draft.days}
          onChange={(days) => set({ days: days.trim() })}
          max={4}
          hint={t('catalog.items.returnDaysHint')}
          wrong={tried && wrong.returnDays ? t('catalog.items.returnDaysWrong') : null}
        />
        <Field
          label={t('catalog.items.blocked')}
          value={draft.blocked}
          onChange={(blocked) => set({ blocked })}
          max={MAX_BLOCKED}
          hint={t('catalog.items.blockedHint')}
        />
        <Field
          label={t('catalog.items.charges')}
          value={draft.charges}
          onChange={(charges) => set({ charges })}
          max={300}
          hint={t('catalog.items.chargesHint')}
          wrong={tried && wrong.charges ? t('catalog.items.chargesWrong') : null}
        />
      </div>
      <fieldset className="stack-3 single">
        <legend className="weight-600">{t('catalog.items.packs')}</legend>
        {draft.packs.length === 0 && <p className="note">{t('catalog.items.packsNone')}</p>}
        {draft.packs.map(({ key, barcode, pieces, price }, at) => {
          const isWrong = tried && wrong.packs.includes(key)
          return (
            <div
              key={key}
              className={`stack-3 start ${styles['pack']}`}
              role="group"
              aria-label={t('catalog.items.pack', { number: String(at + 1) })}
            >
              <Field
                label={t('catalog.items.packCode')}
                value={barcode}
                onChange={(text) => setPack(key, { barcode: text.replaceAll(/\s/g, '') })}
                max={80}
                wrong={isWrong && !CODE.test(barcode) ? t('catalog.missing') : null}
              />
              <Field
                label={t('catalog.items.packPieces')}
                value={pieces}
                onChange={(text) => setPack(key, { pieces: text.trim() })}
                max={3}
                wrong={isWrong && piecesWrong(pieces) ? t('catalog.items.packPiecesWrong') : null}
              />
              <Field
                label={t('catalog.items.packPrice')}
                value={price}
                onChange={(text) => setPack(key, { price: text.trim() })}
                max={10}
                hint={t('catalog.items.packPriceHint')}
                wrong={isWrong && price !== '' && centsTyped(price) === null ? t('catalog.items.priceWrong') : null}
              />
              <IconButton
                label={t('catalog.items.packRemove', { number: String(at + 1) })}
                icon={<Trash2 />}
                onPress={() => set({ packs: draft.packs.filter((pack) => pack.key !== key) })}
              />
            </div>
          )
        })}
        <div>
          <Button
            icon={<Plus />}
            isDisabled={draft.packs.length >= MAX_CODES}
            onPress={() => set({ packs: [...draft.packs, { key: nextKey, barcode: '', pieces: '', price: '' }] })}
          >
            {t('catalog.items.packAdd')}
          </Button>
        </div>
      </fieldset>
    </>
  )
}
