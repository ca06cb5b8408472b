import type { MemberTransaction } from '../../../contracts/api/member-history.ts'
import styles from './sponsor-name.module.css'

/** A partner of the program by its name; the mark beside it only repeats the name. */
export function SponsorName({ sponsor }: { readonly sponsor: NonNullable<MemberTransaction['sponsor']> }) {
  return (
    <span className={styles['sponsor']}>
      <span className={styles['mark']} data-colour={sponsor.colour} aria-hidden="true" />
      {sponsor.name}
    </span>
  )
}
