import { useQueryClient } from '@tanstack/react-query'
import { IdCard, KeyRound, UserX } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import { LANGUAGES, LOCALES, type Locale } from '../../../contracts/i18n/languages.ts'
import type { Person, Role } from '../../../contracts/staff/session.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { useClaimedBadge } from '../../core/state/window.ts'
import { notify, report } from '../../core/state/notices.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import fieldStyles from '../../core/ui/field.module.css'
import { Choice } from '../../sales/changes/changes-menu.tsx'
import styles from './staff-page.module.css'

/** The schemas are the backend's. */
const ROLES = ['cashier', 'supervisor', 'manager'] as const satisfies readonly Role[]

interface PersonDialogProps {
  /** Null: somebody new. */
  readonly person: Person | null
  readonly onClose: () => void
  readonly onSaved: (people: Person[]) => void
  readonly onPin: (person: Pick<Person, 'id' | 'name'>, pin: string) => void
  readonly onBadge: (person: Person) => void
}

/** Who somebody is and what they may do; for who is here already also a new PIN and the end of their work here. */
export function PersonDialog(props: PersonDialogProps) {
  const { t } = useWords()
  const { person, onClose } = props
  return (
    <Dialog open onClose={onClose} title={person ? t('people.edit', { name: person.name }) : t('people.add')}>
      <PersonForm {...props} />
    </Dialog>
  )
}

/** Runs one order at a time, and reports what it was refused for. */
function useRun(): { readonly busy: boolean; readonly run: (work: () => Promise<void>) => Promise<void> } {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  async function run(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      report(error)
      // Who is opened next is as they are by now.
      void queries.invalidateQueries()
    } finally {
      setBusy(false)
    }
  }
  return { busy, run }
}

function PersonForm({ person, onClose, onSaved, onPin, onBadge }: PersonDialogProps) {
  const { t } = useWords()
  const spoken = useTerminal((state) => state.locale)
  const [name, setName] = useState(person?.name ?? '')
  const [role, setRole] = useState<Role>(person?.role ?? 'cashier')
  const [locale, setLocale] = useState<Locale>(person?.locale ?? spoken)
  const [missing, setMissing] = useState(false)
  const [resetting, setResetting] = useState(false)
  const { busy, run } = useRun()
  const change = (of: Person, active: boolean): Promise<void> =>
    run(async () => {
      const seen = { name: of.name, role: of.role, locale: of.locale, active: of.active }
      onSaved((await storeApi.changePerson(of.id, { name, role, locale, active, seen })).people)
      const said = active !== of.active ? (active ? 'people.back' : 'people.gone') : 'people.saved'
      notify('success', (words) => words.t(said, { name }))
      onClose()
    })
  const tellPin = async (of: Pick<Person, 'id' | 'name'>): Promise<void> =>
    onPin(of, (await storeApi.resetPin(of.id)).pin)
  // Two commands: a person is added once whatever becomes of an answer, and a PIN stands in no stored one. Without its
  // PIN the person is there all the same, and can be given another.
  const add = (): Promise<void> =>
    run(async () => {
      const { id, people } = await storeApi.addPerson({ name, role, locale })
      onSaved(people)
      await tellPin({ id, name }).finally(onClose)
    })

  const dropBadge = (of: Person): Promise<void> =>
    run(async () => {
      onSaved((await storeApi.deactivateBadge(of.id)).people)
      notify('success', (words) => words.t('people.badgeDropped', { name: of.name }))
      onClose()
    })

  if (person && resetting)
    return (
      <ResetPin
        name={person.name}
        busy={busy}
        onReset={() => void run(() => tellPin(person))}
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
        words={(option) => t(`signIn.${option}`)}
        value={role}
        onChange={setRole}
        missing={null}
      />
      <Choice
        label={t('people.language')}
        options={LOCALES}
        words={(option) => LANGUAGES[option].name}
        value={locale}
        onChange={setLocale}
        missing={null}
      />
      <Button type="submit" look="primary" size="l" wide isDisabled={busy}>
        {t('people.save')}
      </Button>
      {person && (
        <Orders
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

interface OrdersProps {
  readonly person: Person
  readonly busy: boolean
  readonly onReset: () => void
  readonly onBadge: () => void
  readonly onDropBadge: () => void
  readonly onActive: (active: boolean) => void
}

/** What is done to somebody who is here already. */
function Orders({ person, busy, onReset, onBadge, onDropBadge, onActive }: OrdersProps) {
  const { t } = useWords()
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
  const { t } = useWords()
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

/** The next badge that is read is this person's. The number is told to nobody. */
export function BadgeDialog({
  person,
  onClose,
  onSaved,
}: {
  readonly person: Pick<Person, 'id' | 'name'>
  readonly onClose: () => void
  readonly onSaved: (people: Person[]) => void
}) {
  const { t } = useWords()
  useClaimedBadge((readId) => {
    storeApi.assignBadge(person.id, readId).then(({ people }) => {
      onSaved(people)
      notify('success', (words) => words.t('people.badgeSet', { name: person.name }))
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

/** A one-time PIN, told once. */
export function PinDialog({
  name,
  pin,
  onClose,
}: {
  readonly name: string
  readonly pin: string
  readonly onClose: () => void
}) {
  const { t } = useWords()
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
