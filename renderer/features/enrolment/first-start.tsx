import { useState, type ReactNode } from 'react'
import { BehindStoreWords } from '../../i18n/store-words.tsx'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './enrol-lane.module.css'
import { EnrolLane } from './enrol-lane.tsx'

interface FirstStartProps {
  /** The sign-in, with this below the names. */
  readonly signIn: (below: ReactNode) => ReactNode
}

/** The first start of a lane; its words come with those of the store's pages, which every other start needs later. */
export default function FirstStart(props: FirstStartProps) {
  return (
    <BehindStoreWords>
      <Choice {...props} />
    </BehindStoreWords>
  )
}

/** The code of a sheet, or PINs that somebody sets by hand. */
function Choice({ signIn }: FirstStartProps) {
  const { t } = useWords()
  const [enrolling, setEnrolling] = useState(true)
  return enrolling ? (
    <EnrolLane onLeave={() => setEnrolling(false)} />
  ) : (
    signIn(
      <p className={styles['again']}>
        <Button onPress={() => setEnrolling(true)}>{t('enrol.title')}</Button>
      </p>,
    )
  )
}
