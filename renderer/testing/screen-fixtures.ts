import { CATALOG } from './fixtures-of-catalog.ts'
import { BASKET_OFFERS } from './fixtures-of-basket-offers.ts'
import { CHANGES } from './fixtures-of-changes.ts'
import { OF_BACKUPS } from './fixtures-of-backups.ts'
import { DRAWERS } from './fixtures-of-drawer.ts'
import { CONNECTION } from './fixtures-of-connection.ts'
import { ENROLMENT } from './fixtures-of-enrolment.ts'
import { LANE_CHECK } from './fixtures-of-lane-check.ts'
import { OVERVIEW } from './fixtures-of-overview.ts'
import { MANAGER } from './fixtures-of-queue.ts'
import { OFFERS } from './fixtures-of-offers.ts'
import { REPORTS } from './fixtures-of-reports.ts'
import { MEMBER } from './fixtures-of-member.ts'
import { RETURNS } from './fixtures-of-returns.ts'
import { KEYBOARD } from './fixtures-of-keyboard.ts'
import { SALE } from './fixtures-of-sale.ts'
import { SETTINGS } from './fixtures-of-settings.ts'
import { STORE } from './fixtures-of-store.ts'
import { OF_STORE_OVERVIEW } from './fixtures-of-store-overview.ts'
import { SUPPORT } from './fixtures-of-support.ts'
import { OF_UPDATES } from './fixtures-of-updates.ts'
import type { ScreenFixtures } from './screen-fixture.ts'

/** Every state of every screen, in the order in which a day shows them. */
export const SCREEN_FIXTURES: ScreenFixtures = {
  ...ENROLMENT,
  ...SALE,
  ...MEMBER,
  ...BASKET_OFFERS,
  ...CHANGES,
  ...RETURNS,
  ...MANAGER,
  ...OVERVIEW,
  ...DRAWERS,
  ...STORE,
  ...SUPPORT,
  ...SETTINGS,
  ...CONNECTION,
  ...LANE_CHECK,
  ...CATALOG,
  ...REPORTS,
  ...OFFERS,
  ...OF_BACKUPS,
  ...OF_UPDATES,
  ...OF_STORE_OVERVIEW,
  ...KEYBOARD,
}
