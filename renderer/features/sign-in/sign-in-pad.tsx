import { LogIn } from 'lucide-react'
import { useWords } from '../../i18n/words.tsx'
import { signIn, type StaffMember } from '../../stores/terminal.ts'
import { PinPad } from '../../ui/pin-pad.tsx'

/** The pad on which somebody signs in. */
export function SignInPad({ person, onSignedIn }: { readonly person: StaffMember; readonly onSignedIn?: () => void }) {
  const { t } = useWords()
  const submit = async (pin: string): Promise<void> => {
    await signIn(person.id, pin)
    onSignedIn?.()
  }
  return <PinPad name={person.name} icon={<LogIn />} words={{ submit: t('signIn.signIn'), busy: t('signIn.signingIn') }} submit={submit} />
}
