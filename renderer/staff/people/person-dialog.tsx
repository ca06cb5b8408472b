import { useQueryClient } from '@tanstack/react-query'
import { IdCard, KeyRound, UserX } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import { LANGUAGES, LOCALES, type Locale } from '../../../contracts/i18n/languages.ts'
import type { Person, Role } from '../../../contracts/staff/session.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useCapturedBadge } from '../../core/state/window.ts'
import { notify, report } from '../../core/state/notices.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import fieldStyles from '../../core/ui/field.module.css'
import { Choice } from '../../sales/changes/changes-menu.tsx'
import styles from './staff-page.module.css'

/** The window cannot take the roles from the schemas, which only the backend loads. */
const ROLES = ['cashier', 'supervisor', 'manager'] as const satisfies readonly Role[]

interface PersonDialogProps {
  readonly person: Person | null
  readonly onClose: () => void
  readonly onSaved: (people: Person[]) => void
  readonly onPin: (person: Pick<Person, 'id' | 'name'>, pin: string) => void
  readonly onBadge: (person: Person) => void
}

export function PersonDialog(props: PersonDialogProps) {
  const { t } = useI18n()
  const { person, onClose } = props
  return (
    <Dialog open onClose={onClose} title={person ? t('people.edit', { name: person.name }) : t('people.add')}>
      <PersonForm {...props} />
    </Dialog>
  )
}

function useRun(): { readonly busy: boolean; readonly run: (work: () => Promise<void>) => Promise<void> } {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      report(error)
      // Reload all data, so that the next dialog shows the person as now stored.
      void queries.invalidateQueries()
    } finally {
      setBusy(false)
    }
  }
  return { busy, run }
}

function PersonForm({ person, onClose, onSaved, onPin, onBadge }: PersonDialogProps) {
  const { t } = useI18n()
  const screenLocale = useTerminal((state) => state.locale)
  const [name, setName] = useState(person?.name ?? '')
  const [role, setRole] = useState<Role>(person?.role ?? 'cashier')
  const [locale, setLocale] = useState<Locale>(person?.locale ?? screenLocale)
  const [missing, setMissing] = useState(false)
  const [resetting, setResetting] = useState(false)
  const { busy, run } = useRun()
  const change = (of: Person, active: boolean): Promise<void> =>
    run(async () => {
      const seen = { name: of.name, role: of.role, locale: of.locale, active: of.active }
      onSaved((await storeApi.changePerson(of.id, { name, role, locale, active, seen })).people)
      const messageKey = active !== of.active ? (active ? 'people.back' : 'people.gone') : 'people.saved'
      notify('success', (i18n) => i18n.t(messageKey, { name }))
      onClose()
    })
  const showPin = async (of: Pick<Person, 'id' | 'name'>): Promise<void> =>
    onPin(of, (await storeApi.resetPin(of.id)).pin)
  // Adding a person and setting the PIN are two commands: a retry after a lost answer adds the person only once, and
  // the stored command contains no PIN. If the second fails, the person exists and can get another PIN.
  const add = (): Promise<void> =>
    run(async () => {
      const { id, people } = await storeApi.addPerson({ name, role, locale })
      onSaved(people)
      await showPin({ id, name }).finally(onClose)
    })

  const dropBadge = (of: Person): Promise<void> =>
    run(async () => {
      onSaved((await storeApi.deactivateBadge(of.id)).people)
      notify('success', (i18n) => i18n.t('people.badgeDropped', { name: of.name }))
      onClose()
    })

  if (person && resetting)
    return (
      <ResetPin
        name={person.name}
        busy={busy}
        onReset={() => void run(() => showPin(person))}
        onBack={() => setResetting(false)}
      />
    )
  return (
    <Form
      className="stack-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') setMissing(true)
        else void (person ? change(person, person.active) : add())
      }}
    >
      <TextField
        autoFocus
        value={name}
        onChange={(text) => {
          setName(text)
          setMissing(false)
        }}
        isInvalid={missing}
        validationBehavior="aria"
        className={`stack-1 field ${fieldStyles['field']}`}
      >
        <Label>{t('staff.name')}</Label>
        <Input maxLength={60} autoComplete="off" spellCheck="false" />
        <FieldError>{t('people.nameMissing')}</FieldError>
      </TextField>
      <Choice
        label={t('staff.role')}
        options={ROLES}
        texts={(option) => t(`signIn.${option}`)}
        value={role}
        onChange={setRole}
        missing={null}
      />
      <Choice
        label={t('people.language')}
        options={LOCALES}
        texts={(option) => LANGUAGES[option].name}
        value={locale}
        onChange={setLocale}
        missing={null}
      />
      <Button type="submit" look="primary" size="l" wide isDisabled={busy}>
        {t('people.save')}
      </Button>
      {person && (
        <PersonActions
          person={person}
          busy={busy}
          onReset={() => setResetting(true)}
          onBadge={() => onBadge(person)}
          onDropBadge={() => void dropBadge(person)}
          onActive={(active) => void change(person, active)}
        />
      )}
    </Form>
  )
}

interface PersonActionsProps {
  readonly person: Person
  readonly busy: boolean
  readonly onReset: () => void
  readonly onBadge: () => void
  readonly onDropBadge: () => void
  readonly onActive: (active: boolean) => void
}

function PersonActions({ person, busy, onReset, onBadge, onDropBadge, onActive }: PersonActionsProps) {
  const { t } = useI18n()
  const me = useTerminal((state) => state.terminal?.signedIn?.id)
  if (!person.active)
    return (
      <Button isDisabled={busy} onPress={() => onActive(true)}>
        {t('people.restore')}
      </Button>
    )
  return (
    <div className="wrap-2">
      <Button icon={<KeyRound />} isDisabled={busy} onPress={onReset}>
        {t('people.resetPin')}
      </Button>
      <Button icon={<IdCard />} isDisabled={busy} onPress={onBadge}>
        {t(person.badge === 'active' ? 'people.newBadge' : 'people.assignBadge')}
      </Button>
      {person.badge === 'active' && (
        <Button isDisabled={busy} onPress={onDropBadge}>
          {t('people.dropBadge')}
        </Button>
      )}
      {person.id !== me && (
        <Button icon={<UserX />} isDisabled={busy} onPress={() => onActive(false)}>
          {t('people.remove')}
        </Button>
      )}
    </div>
  )
}

interface ResetPinProps {
  readonly name: string
  readonly busy: boolean
  readonly onReset: () => void
  readonly onBack: () => void
}

function ResetPin({ name, busy, onReset, onBack }: ResetPinProps) {
  const { t } = useI18n()
  return (
    <div className="stack-4">
      <p role="status">{t('people.resetPinAsk', { name: name })}</p>
      <Button look="danger" size="l" wide icon={<KeyRound />} isDisabled={busy} onPress={onReset}>
        {t('people.resetPin')}
      </Button>
      <Button size="l" wide autoFocus onPress={onBack}>
        {t('actions.back')}
      </Button>
    </div>
  )
}

/** Dialog that assigns the next staff badge that is read to this person. The badge number is not shown. */
export function BadgeDialog({
  person,
  onClose,
  onSaved,
}: {
  readonly person: Pick<Person, 'id' | 'name'>
  readonly onClose: () => void
  readonly onSaved: (people: Person[]) => void
}) {
  const { t } = useI18n()
  useCapturedBadge((readId) => {
    storeApi.assignBadge(person.id, readId).then(({ people }) => {
      onSaved(people)
      notify('success', (i18n) => i18n.t('people.badgeSet', { name: person.name }))
      onClose()
    }, report)
  })
  return (
    <Dialog open onClose={onClose} title={t('people.badgeOf', { name: person.name })}>
      <div className="stack-4">
        <p role="status">{t('people.badgeHint')}</p>
        <Button size="l" wide autoFocus onPress={onClose}>
          {t('actions.back')}
        </Button>
      </div>
    </Dialog>
  )
}

export function PinDialog({
  name,
  pin,
  onClose,
}: {
  readonly name: string
  readonly pin: string
  readonly onClose: () => void
}) {
  const { t } = useI18n()
  return (
    <Dialog open onClose={onClose} title={t('people.pinOf', { name })}>
      <div className="stack-4">
        <p className={`weight-650 center ${styles['pin']}`} aria-label={t('people.oneTimePin')}>
          {pin}
        </p>
        <p>{t('people.pinHint')}</p>
        <Button look="primary" size="l" wide autoFocus onPress={onClose}>
          {t('people.done')}
        </Button>
      </div>
    </Dialog>
  )
}
