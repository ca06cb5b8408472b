import { CATALOG } from '../catalog/catalog-screens.fixture.ts'
import { BASKET_OFFERS } from '../loyalty/offers/basket-offers.fixture.ts'
import { CHANGES } from '../sales/changes/changes-screens.fixture.ts'
import { OF_BACKUPS } from '../operations/backups/backups.fixture.ts'
import { DAY_END } from '../day/day-end/day-end.fixture.ts'
import { DRAWER } from '../day/drawer/drawer.fixture.ts'
import { CONNECTION } from '../operations/connection/connection.fixture.ts'
import { ENROLMENT } from '../operations/enrolment-screens.fixture.ts'
import { LANE_CHECK } from '../operations/lane-check/lane-check.fixture.ts'
import { OVERVIEW } from '../day/overview/overview-screens.fixture.ts'
import { MANAGER } from '../loyalty/queue/queue.fixture.ts'
import { OFFERS } from '../loyalty/offers-manager/offers.fixture.ts'
import { REPORTS } from '../day/reports/reports.fixture.ts'
import { MEMBER } from '../loyalty/member/member.fixture.ts'
import { RETURNS } from '../payments/returns/returns-screens.fixture.ts'
import { KEYBOARD } from './fixtures-of-keyboard.ts'
import { SALE } from '../sales/screen/sale-screens.fixture.ts'
import { SETTINGS } from '../staff/settings/settings.fixture.ts'
import { STORE } from './fixtures-of-store.ts'
import { OF_STORE_OVERVIEW } from '../day/store-overview/store-overview-screens.fixture.ts'
import { SUPPORT } from '../operations/support/support.fixture.ts'
import { OF_UPDATES } from '../operations/updates/updates.fixture.ts'
import type { ScreenFixtures } from './screen-fixture.ts'

export const SCREEN_FIXTURES: ScreenFixtures = {
  ...ENROLMENT,
  ...SALE,
  ...MEMBER,
  ...BASKET_OFFERS,
  ...CHANGES,
  ...RETURNS,
  ...MANAGER,
  ...OVERVIEW,
  ...DRAWER,
  ...DAY_END,
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
