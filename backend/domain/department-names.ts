import { GIFT_CARD_DEPARTMENT } from '../../contracts/gift-card.ts'
import type { Localized, Names } from '../../contracts/locales.ts'
import type { Profile } from '../../contracts/profile.ts'
import { giftCardNames } from './gift-card.ts'

/** What the departments of a report are called, by id: the store's own and that of gift cards. */
export const departmentNames = ({ departments }: Pick<Profile['catalog'], 'departments'>) =>
  new Map<string, Localized | Names>([
    [GIFT_CARD_DEPARTMENT, giftCardNames()],
    ...departments.map(({ id, name }) => [id, name] as const),
  ])
