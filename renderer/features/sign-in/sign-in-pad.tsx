import { LogIn } from 'lucide-react'
import { useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../state/notices.ts'
import { signIn, type StaffMember } from '../../state/terminal.ts'
import { PinPad } from '../../ui/pin-pad.tsx'

/** The PIN; and where somebody else has set it, one of the person's own, typed twice. `note`: why it is asked for. */
type Step =
  | { readonly ask: 'pin' }
  | { readonly ask: 'new'; readonly pin: string; readonly note: Saying }
  | { readonly ask: 'repeat'; readonly pin: string; readonly newPin: string }

/** Said of the new PIN, not of the one that it takes the place of. */
const OF_THE_NEW_PIN = ['pin-change-required', 'pin-common', 'pin-not-new']

/** The pad on which somebody signs in. */
export function SignInPad({ person, onSignedIn }: { readonly person: StaffMember; readonly onSignedIn?: () => void }) {
  const words = useWords()
  const { t } = words
  const [step, setStep] = useState<Step>({ ask: 'pin' })

  const enter = async (pin: string, newPin?: string): Promise<void> => {
    try {
      await signIn(person.id, pin, newPin)
    } catch (error) {
      if (!(error instanceof ApiProblem) || !OF_THE_NEW_PIN.includes(error.code)) throw error
      return setStep({ ask: 'new', pin, note: problemSaying(error) })
    }
    onSignedIn?.()
  }

  const pad = { name: person.name, icon: <LogIn />, words: { submit: t('signIn.signIn'), busy: t('signIn.signingIn') } }
  switch (step.ask) {
    case 'pin':
      return <PinPad key="pin" {...pad} submit={(pin) => enter(pin)} />
    case 'new':
      return (
        <PinPad
          key="new"
          {...pad}
          title={t('signIn.newPin')}
          note={step.note(words)}
          words={{ submit: t('signIn.next'), busy: t('signIn.signingIn') }}
          submit={(newPin) => {
            setStep({ ask: 'repeat', pin: step.pin, newPin })
            return Promise.resolve()
          }}
        />
      )
    case 'repeat':
      return (
        <PinPad
          key="repeat"
          {...pad}
          title={t('signIn.repeatPin')}
          submit={async (again) => {
            if (again === step.newPin) await enter(step.pin, step.newPin)
            else setStep({ ask: 'new', pin: step.pin, note: (said) => said.t('signIn.notSame') })
          }}
        />
      )
  }
}
