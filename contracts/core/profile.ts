import { AccountingSettings } from '../day/accounting.ts'
import { PaymentKind } from '../payments/tenders/registry.ts'
import { z } from 'zod'
import { CALLED_SERVICES } from '../operations/kinds.ts'
import { Charge } from '../catalog/charges.ts'
import { ManufacturerCoupon } from '../catalog/manufacturer-coupons.ts'
import { MAX_PROMOTIONS, Promotion } from '../catalog/promotions.ts'
import { expected } from './expected.ts'
import { CASH_PATHS } from '../central/cash.ts'
import { ControlPrefix } from './text.ts'
import { perLocale } from '../i18n/languages.ts'
import { eachLocale, Locale } from './locales.ts'
import { Region, TaxCode } from './regions.ts'
import { SPONSOR_COLOURS } from '../loyalty/kinds.ts'
import { ApprovalSettings, Coupon, Day, Dollars, MinimumAge } from '../sales/sale-rules.ts'
import { ReturnSettings } from '../payments/return-rules.ts'

/**
 * The store profile: one YAML file per store, without secrets. Unknown keys are refused, so that a misspelt setting is
 * an error on its line and never a silent default.
 */
const Port = z.int().min(1).max(65_535)
const Millis = z.int().min(1)
const Percent = z.number().min(0).max(50)

/** A host name or an IPv4 or IPv6 address, without a port. A name of digits and dots alone must be a valid address. */
const IPV4 = '(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const HOST_NAME =
  '(?![\\d.]+$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\\.?'
const IPV6 = '[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%\\w+)?'
const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(new RegExp(`^(?:${IPV4}|${HOST_NAME}|${IPV6})$`), expected('host'))

const SerialConnection = z.strictObject({
  kind: z.literal('serial'),
  path: z.string().min(1).describe('A stable path such as /dev/serial/by-id/… or COM3'),
  baudRate: z.int().default(9600),
  dataBits: z
    .union([z.literal(7), z.literal(8)])
    .optional()
    .describe('Left out: 7 for a scale, 8 for other devices'),
  parity: z.enum(['none', 'even', 'odd']).optional().describe('Left out: even for a scale, none for other devices'),
})
const TcpConnection = z.strictObject({ kind: z.literal('tcp'), host: Host, port: Port })
const VirtualConnection = z.strictObject({ kind: z.literal('virtual') })
const FileConnection = z.strictObject({ kind: z.literal('file'), path: z.string().min(1) })

export const ByteConnection = z.discriminatedUnion('kind', [SerialConnection, TcpConnection, VirtualConnection])
export type ByteConnection = z.infer<typeof ByteConnection>
export const PrinterConnection = z.discriminatedUnion('kind', [
  SerialConnection,
  TcpConnection,
  VirtualConnection,
  FileConnection,
])
export type PrinterConnection = z.infer<typeof PrinterConnection>

/**
 * How the messages of a card reader or a scanner are separated. Omitted: a message ends at any usual suffix, or when no
 * byte follows.
 */
export const Framing = z.strictObject({
  prefix: z
    .string()
    .regex(/^[!-~]{1,8}$/, expected('framingSigns'))
    .optional()
    .describe('Characters before every message'),
  suffix: z
    .enum(['any', 'none', 'cr', 'lf', 'crlf', 'tab', 'eot', 'etx'])
    .default('any')
    .describe('Characters after every message'),
  interByteMs: z.int().min(10).max(1_000).optional().describe('Silence that ends a message without a suffix'),
})
export type Framing = z.infer<typeof Framing>

/**
 * Layout of the store's own labels with a price or weight, as a pattern of thirteen digits: digits match themselves
 * (the first two are 02, or 20 to 29), I is the item number, P a price, W a weight, V the verifier digit of P or W, C
 * the check digit.
 */
export const EmbeddedLayout = z.strictObject({
  layout: z
    .string()
    .regex(/^(?=.{13}$)(?:02|2\d)\d{0,3}I{2,7}(?:V(?:P{4,5}|W{4,5})|P{3,6}|W{3,6})C$/, expected('labelForm')),
  decimals: z
    .int()
    .min(0)
    .max(4)
    .optional()
    .describe('Decimals of the price or weight. Left out: two for dollars, three for kilograms'),
})
export type EmbeddedLayout = z.infer<typeof EmbeddedLayout>

const Pattern = z.string().refine((source) => {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}, expected('regularExpression'))

/** Patterns for the program's cards: the first group of each pattern is the collector number. */
export const CardPatterns = z.strictObject({
  track1: Pattern.default('^%B(8\\d{10})\\^'),
  track2: Pattern.default('^;(8\\d{10})='),
  barcode: Pattern.default('^(8\\d{10})$'),
})
export type CardPatterns = z.infer<typeof CardPatterns>

export const PrinterLanguage = z.enum(['esc-pos', 'star-prnt', 'star-line'])
export type PrinterLanguage = z.infer<typeof PrinterLanguage>

export const PrinterDevice = z.strictObject({
  connection: PrinterConnection,
  language: PrinterLanguage.default('esc-pos'),
  columns: z
    .union([z.literal(32), z.literal(42), z.literal(48)])
    .default(42)
    .describe('Characters in a line: 32 on paper of 58 mm, 42 or 48 on paper of 80 mm'),
  drawer: z
    .strictObject({
      openWhen: z
        .enum(['high', 'low'])
        .describe('The level of the drawer switch while the drawer is open; depends on the drawer’s cable'),
    })
    .optional()
    .describe('Only where the drawer’s switch is wired to the printer'),
})
export type PrinterDevice = z.infer<typeof PrinterDevice>

/** Settings of the customer's line display: two lines of twenty characters, CD5220 commands. */
export const LineDisplayDevice = z.strictObject({ connection: ByteConnection })
export type LineDisplayDevice = z.infer<typeof LineDisplayDevice>

export const isSerial = (connection: ByteConnection): connection is z.infer<typeof SerialConnection> =>
  connection.kind === 'serial'

/** Settings of a scale at the lane. Only an approved and certified scale may be used (docs/measurement-canada.md). */
export const ScaleDevice = z.strictObject({
  connection: ByteConnection,
  protocol: z
    .enum(['toledo-8217', 'nci'])
    .default('toledo-8217')
    .describe('toledo-8217: Mettler Toledo 8217. nci: NCI SCP-01 or ECR, as of Avery Berkel and Brecknell'),
  unit: z.enum(['kg', 'lb']).default('kg').describe('Unit of the scale; weights in another unit are refused'),
  minimumWeight: z
    .number()
    .min(0)
    .max(1)
    .multipleOf(0.001)
    .default(0.02)
    .describe('Least gross weight that is sold, in the unit of the scale; see the plate of the scale'),
})
export type ScaleDevice = z.infer<typeof ScaleDevice>

/**
 * Settings of a card terminal on the store's network with nexo Retailer 3.0 over TLS; the simulated one (`virtual`)
 * approves unless the training panel sets another outcome.
 */
export const CardTerminalDevice = z.strictObject({
  connection: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('tcp'),
      host: Host,
      port: z.int().min(1).max(65535).default(8443),
      certificateFile: z.string().min(1).describe('PEM of the root that signed the terminal’s certificate'),
      certificateName: z.string().min(1).describe('Common name in the terminal’s certificate'),
    }),
    z.strictObject({ kind: z.literal('virtual') }),
  ]),
  terminalId: z.string().min(1).max(64).describe("The terminal's own id (POIID)"),
})
export type CardTerminalDevice = z.infer<typeof CardTerminalDevice>

export const Devices = z.strictObject({
  cardReader: z.strictObject({ connection: ByteConnection, framing: Framing.optional() }).optional(),
  scanner: z
    .strictObject({
      connection: ByteConnection,
      framing: Framing.optional(),
      embedded: z.array(EmbeddedLayout).optional(),
    })
    .optional(),
  printer: PrinterDevice.optional(),
  lineDisplay: LineDisplayDevice.optional(),
  scale: ScaleDevice.optional(),
  cardTerminal: CardTerminalDevice.optional(),
})
export type Devices = z.infer<typeof Devices>

/** Name and colour that a partner of the program has in a member's history. */
export const SponsorSettings = z.strictObject({
  code: z.string().min(1).max(64).describe('As in the history service'),
  name: eachLocale(z.string().min(1).max(40)).optional().describe("Left out: the service's own"),
  colour: z.enum(SPONSOR_COLOURS).optional().describe('Left out: one derived from the code'),
})
export type SponsorSettings = z.infer<typeof SponsorSettings>

const LaneSettings = z.strictObject({
  id: z.string().regex(/^\d{2}$/, expected('twoDigits')),
  deviceId: z.string().min(1).max(64).describe('POS terminal id on every call to the central services'),
  devices: Devices.default({}),
})
export type LaneSettings = z.infer<typeof LaneSettings>

const timeZone = z.string().refine((zone) => {
  try {
    new Intl.DateTimeFormat('en-CA', { timeZone: zone })
    return true
  } catch {
    return false
  }
}, expected('timeZone'))
const Url = z.url({ protocol: /^https?$/, error: expected('address') })
const PROXY_EXCEPTION = new RegExp(`^(?:\\.?${HOST_NAME}|${IPV4}|${IPV6})$`)
/** A proxy address has no path: with one it is probably the address of another server. */
const PROXY_PATH = /^http:[/\\]{2}[^/\\?#]*(?:[/\\].|[?#])/i
const ProxyUrl = z
  .url({ protocol: /^http$/, error: expected('proxyAddress') })
  .refine((url) => !PROXY_PATH.test(url), expected('proxyAddress'))

const Path = z.string().regex(/^\/[A-Za-z0-9/_-]+$/, expected('path'))
/**
 * Fields of every rule for miles that the store calculates: the offer of the issuance, the miles and the days on which
 * the rule applies.
 */
const partnerRule = {
  offerCode: z.string().min(1).max(64).describe('issuanceOfferCode, set up for the sponsor by the service operator'),
  offerId: z.string().min(1).max(64).optional().describe("The store's own name of the offer; left out: the offer code"),
  miles: z.int().min(1).max(100_000),
  from: Day.optional().describe('First day, store time'),
  until: Day.optional().describe('Last day, store time'),
}
/**
 * Rule for miles by amount: `miles` for every `perDollars` before tax. `rounding` decides about a partial step:
 * whole-steps gives no miles for it; down, nearest and up round the exact fraction of a mile.
 */
const byAmount = { ...partnerRule, perDollars: Dollars, rounding: z.enum(['whole-steps', 'down', 'nearest', 'up']) }
export const PartnerRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('base'), ...byAmount }),
  z.strictObject({ kind: z.literal('item'), ...partnerRule, sku: z.string().min(1).max(40) }),
  z.strictObject({ kind: z.literal('category'), ...byAmount, categoryId: z.string().min(1) }),
  z.strictObject({ kind: z.literal('department'), ...byAmount, departmentId: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('coupon'),
    ...partnerRule,
    coupon: z.string().min(1).max(64),
    minimumDollars: Dollars.optional().describe('Of the basket before tax'),
  }),
])
export type PartnerRule = z.infer<typeof PartnerRule>

export const DepartmentSettings = z.strictObject({
  id: z.string().min(1).describe('As in the catalog'),
  name: eachLocale(z.string().min(1).max(40)),
  quick: z
    .array(z.string().min(1).max(40))
    .max(60)
    .optional()
    .describe('SKUs in the order shown; left out: the first of the department in alphabetical order'),
})
export type DepartmentSettings = z.infer<typeof DepartmentSettings>

/** How the miles of a sale are calculated and reported to the program (specification 3 §1, §4.2–§4.4). */
export const IssuanceSettings = z.strictObject({
  mode: z
    .enum(['service', 'partner'])
    .default('service')
    .describe(
      'service: the program calculates (CALCULATE, ISSUE, RETURN). partner: the lane does, by the rules (POST, ' +
        'REVERSE)',
    ),
  record: z
    .enum(['none', 'non-members', 'all'])
    .default('none')
    .describe('Sales and returns to report by RECORD; non-members: those without any other call'),
  rules: z.array(PartnerRule).default([]),
  loyaltyCashTender: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('Name of the tender of miles in RECORD; the specification does not define it. Left out: not sent'),
  parallelError: z
    .strictObject({
      status: z.int().min(400).max(599).optional(),
      code: z.string().min(1).max(8).optional(),
    })
    .refine(({ status, code }) => status !== undefined || code !== undefined, { error: expected('parallelError') })
    .optional()
    .describe(
      'The answer of a service that is processing another transaction of the collector: its HTTP status, its ' +
        'code, or both; the specification does not define it. Such a call is retried later. Left out: ' +
        '400 is final and 500 is retried',
    ),
  paths: z
    .strictObject({
      post: Path.default('/checkout/issuance/post'),
      postEvent: Path.default('/checkout/issuance/post/event'),
      reverse: Path.default('/checkout/issuance/reverse'),
    })
    .prefault({})
    .describe('Not defined in the specification: ask the service operator'),
})
export type IssuanceSettings = z.infer<typeof IssuanceSettings>

/** Which items an offer of the program counts: specification 1 does not define them, so the store does. */
export const OfferMatch = z.strictObject({
  id: z.uuid().describe('Of an offer, of a promotion or of a category of the offer service'),
  departments: z.array(z.string().min(1)).default([]).describe('As in the catalog'),
  categories: z.array(z.string().min(1)).default([]).describe('As in the catalog'),
  skus: z.array(z.string().min(1).max(40)).default([]),
})
export type OfferMatch = z.infer<typeof OfferMatch>

export const OfferSettings = z.strictObject({
  matches: z
    .array(OfferMatch)
    .default([])
    .describe(
      'The items that offers count. A spend offer that is not listed counts the whole basket; a buy offer is shown ' +
        'and never marked as earned',
    ),
  receipt: z
    .enum(['none', 'earned', 'earned-and-missed'])
    .default('earned')
    .describe('Which offers the receipt of a collector names'),
  imageHosts: z
    .array(z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, expected('hostName')))
    .max(20)
    .default([])
    .describe('Hosts of offer images in addition to the offer service, over https. Left out: none'),
  sortTokens: z
    .strictObject({
      endingSoon: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,40}$/, expected('sortToken'))
        .default('endingSoon'),
    })
    .prefault({})
    .describe('Not defined in the specification (1 §4.2): ask the service operator'),
})
export type OfferSettings = z.infer<typeof OfferSettings>

/** Settings of the cash service where its specification is silent (specification 3 §4.5). */
export const CashSettings = z.strictObject({
  paths: z
    .strictObject({ reverse: Path.default(CASH_PATHS.reverse) })
    .prefault({})
    .describe('Not defined in the specification: ask the service operator'),
})
export type CashSettings = z.infer<typeof CashSettings>

export const ShiftSettings = z.strictObject({
  opening: z
    .enum(['automatic', 'counted'])
    .default('automatic')
    .describe(
      'counted: no sale before a counted float. automatic: the first sale opens the shift with the cash that the ' +
        'previous one left',
    ),
  drawers: z.enum(['lane', 'cashier']).default('lane').describe('cashier: each person has a drawer of their own'),
  floatDollars: Dollars.optional().describe('Opening float of a drawer; a suggestion where it is counted'),
  toleratedDollars: Dollars.optional().describe('A difference up to this much needs no reason. Left out: none'),
})
export type ShiftSettings = z.infer<typeof ShiftSettings>

export const ConnectionSettings = z.strictObject({
  noticeAfterMs: Millis.default(60_000).describe(
    'How long the services must be unreachable before the lane shows a notice, and another when they are back',
  ),
  sound: z.boolean().default(true).describe('Whether these notices also play a sound'),
  certificateWarnDays: z
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe('How many days before the end of a service’s certificate the connection check warns'),
  traceparent: z
    .array(z.enum(CALLED_SERVICES))
    .default([])
    .describe(
      'Services whose operator accepts the header traceparent (W3C Trace Context), which no specification defines. ' +
        'Left out: none',
    ),
  support: z
    .strictObject({ name: z.string().min(1).max(40), phone: z.string().min(1).max(30) })
    .optional()
    .describe('Contact that a manager calls with the trace number. Left out: the page shows "miles support"'),
})
export type ConnectionSettings = z.infer<typeof ConnectionSettings>

/** Minimum age for the items of a department; the catalog's own `minimumAge` has precedence. */
export const AgeChecks = z.strictObject({
  clearlyOver: z
    .boolean()
    .default(false)
    .describe('Whether a cashier may answer “clearly over” without a date of birth'),
  departments: z
    .array(z.strictObject({ id: z.string().min(1).describe('As in the catalog'), minimumAge: MinimumAge }))
    .default([]),
})
export type AgeChecks = z.infer<typeof AgeChecks>

const GoodsPolicy = z.enum(['refuse', 'ask', 'ignore'])
/**
 * Whether an item whose GS1 code shows that it is expired or recalled is refused, sold after a question to the cashier,
 * or sold.
 */
export const GoodsChecks = z.strictObject({
  expired: GoodsPolicy.default('ask').describe(
    'A GS1 code whose expiration, sell-by or best-before date has passed: refuse the item, ask the cashier, ' +
      'or ignore the date',
  ),
  recalled: GoodsPolicy.default('refuse').describe('A GS1 code with one of the recalled lots'),
  recalledLots: z
    .array(
      z.strictObject({
        barcode: z
          .string()
          .regex(/^(\d{8}|\d{12,14})$/)
          .describe('As in the catalog'),
        lot: z.string().min(1).max(20),
      }),
    )
    .default([])
    .describe('Lots that were recalled by their makers'),
})
export type GoodsChecks = z.infer<typeof GoodsChecks>

export const SignInSettings = z.strictObject({
  badges: z.boolean().default(false).describe('Whether a swiped or scanned staff badge signs in'),
  badgePatterns: z
    .strictObject({
      barcode: Pattern.default('^STAFF-([0-9A-Z]{6,32})$'),
      track1: Pattern.default('^%STAFF\\^([0-9A-Z]{6,32})\\^'),
      track2: Pattern.default('^;99999=([0-9]{6,32})\\?'),
    })
    .prefault({})
    .describe('Where a staff badge carries its number; each pattern’s first group is the number'),
})
export type SignInSettings = z.infer<typeof SignInSettings>

export const DepositSettings = z.strictObject({
  charges: z
    .array(Charge)
    .max(200)
    .default([])
    .describe('In addition to the deposits of the region; the same id replaces one of them'),
  earnMiles: z
    .boolean()
    .default(false)
    .describe('Whether deposits and fees are part of the basket that is sent to the program'),
  empties: z
    .strictObject({
      accepted: z.boolean().default(true).describe('Whether this store pays deposits back'),
      most: z.int().min(1).max(9_999).default(240).describe('Highest number of empty containers in one sale'),
      approvalFromDollars: Dollars.default(25).describe('Amount in one sale from which it is the action `empties`'),
    })
    .prefault({}),
})

/** The store's mail server (SMTP, RFC 5321). Its password is no part of the profile: `set-mail-password`. */
export const ReceiptEmail = z.strictObject({
  host: Host,
  port: Port.default(587),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .describe('implicit: TLS from the first byte, usually on port 465. none: only for a server on this machine'),
  user: z.string().min(1).max(200).optional().describe('Left out: the server needs no sign-in'),
  sender: z.email().max(254).describe('Address of the sender; its name is the name of the store'),
})
export type ReceiptEmail = z.infer<typeof ReceiptEmail>

export const OnlineReceipts = z.strictObject({
  url: z
    .url({ protocol: /^https$/, error: expected('address') })
    .max(100)
    .regex(/^[\x21-\x7e]*[^/?#]$/, expected('plainAddress'))
    .describe('Public address that leads to /receipt of the store server; a token follows'),
  days: z.int().min(1).max(366).default(30).describe('How long a receipt can be opened'),
})
export type OnlineReceipts = z.infer<typeof OnlineReceipts>

export const Profile = z.strictObject({
  mode: z
    .enum(['production', 'training'])
    .describe('training sells against the reference services that ship with the program; nothing counts'),
  store: z.strictObject({
    id: z.string().min(1).max(64).describe('storeId on the cash service'),
    name: z.string().min(1),
    address: z.array(z.string()).default([]),
    phone: z.string().optional(),
    taxNumbers: z.array(z.string()).default([]),
    giftCardsBuyGiftCards: z
      .boolean()
      .optional()
      .describe('Whether a gift card may be bought with another gift card. Left out: no'),
    voucherReserveDollars: z
      .number()
      .min(0)
      .max(1_000)
      .multipleOf(0.01)
      .optional()
      .describe(
        'With a store server: the value of a gift card or store credit that stays at the lane that issued it, to be ' +
          'spent there while the server is unavailable. Left out: nothing',
      ),
    voucherLeaseHours: z
      .int()
      .min(1)
      .max(336)
      .optional()
      .describe(
        'With a store server: how long after its last contact with the server a lane accepts gift cards and store ' +
          'credit with value at that lane, without a restart. Until then only the owner can release the value of ' +
          'a replaced lane. Left out: 48',
      ),
  }),
  region: Region,
  timeZone,
  locales: z.strictObject({
    default: Locale,
    receipt: Locale.optional().describe(
      'Left out: receipts are in French in Québec, elsewhere in the cashier’s language',
    ),
  }),
  program: z.strictObject({
    sponsorCode: z.string().min(1).max(64),
    vendorId: z.string().min(1).max(64),
    acquirerId: z.string().min(1).max(64),
    provider: z.string().min(1).max(64),
    program: z.string().min(1).max(64),
    locationCode: z.string().regex(/^[A-Za-z0-9]{1,4}$/, expected('locationCode')),
    partnerId: z
      .uuid()
      .optional()
      .describe(
        "the store's own partner in the offer service, whose offers the customer display shows. Left out: none",
      ),
    originClient: z.string().regex(/^(internal|external):[^:]+:[^:]+$/, expected('originClient')),
    sponsors: z.array(SponsorSettings).optional().describe('Partners, as shown in a member’s history'),
    cards: CardPatterns.default({ track1: '^%B(8\\d{10})\\^', track2: '^;(8\\d{10})=', barcode: '^(8\\d{10})$' }),
  }),
  lanes: z.array(LaneSettings).min(1),
  taxes: z
    .array(
      z.strictObject({
        code: TaxCode.exclude(['HST-FEDERAL']),
        percent: Percent,
        changes: z
          .array(z.strictObject({ from: Day, percent: Percent }))
          .refine(
            (changes) => changes.every(({ from }, at) => from > (changes[at - 1]?.from ?? '')),
            expected('rateChanges'),
          )
          .optional()
          .describe('Other rates from their days on, oldest first'),
      }),
    )
    .optional()
    .describe("Left out: the region's own rates"),
  endpoints: z
    .strictObject({
      offers: Url,
      issuance: Url,
      cash: Url,
      token: z.strictObject({ url: Url, clientId: z.string().min(1), scope: z.string().optional() }),
      offerState: Url.optional().describe(
        "The offer-state service: a member's saved and opted-in offers, and its health. Left out: not called",
      ),
      history: Url.optional().describe(
        "The transaction-history service: a member's own transactions, and its health. Left out: not called",
      ),
      memberSignIn: z
        .strictObject({
          url: Url.describe('The device authorization endpoint (RFC 8628 §3.1), next to the token endpoint'),
          issuer: Url.describe('Issuer of the ID token that contains the collector who signed in'),
          scope: z.string().default('openid'),
          revocationUrl: Url.optional().describe(
            'Where the lane revokes the token when the sale ends (RFC 7009). Left out: it expires by itself',
          ),
        })
        .optional()
        .describe('Where members sign in with their own phone. Left out: members do not sign in at the lane'),
      proxy: ProxyUrl.optional().describe(
        "All calls that leave the lane use this proxy: the services', the store server's, updates and " +
          'enrolment. Left out: direct calls, regardless of the environment',
      ),
      noProxy: z
        .array(z.string().max(255).regex(PROXY_EXCEPTION, expected('proxyException')))
        .max(50)
        .optional()
        .describe(
          "Hosts that are called directly, such as the store server's; .example.com matches every name below it",
        ),
    })
    .describe('Training mode fills these with its own services')
    .optional(),
  cash: CashSettings.prefault({}),
  issuance: IssuanceSettings.prefault({}),
  offers: OfferSettings.prefault({}).describe('Offers of the program for the basket'),
  limits: z
    .strictObject({
      cashTimeoutMs: Millis.default(8_000).describe('How long one attempt of INQUIRE, REDEEM or REVERSE may take'),
      issuanceTimeoutMs: Millis.default(15_000),
      redeemRetryDeadlineMs: Millis.default(120_000).describe(
        'After a restart, a redemption is retried only within this time after it was first sent',
      ),
      cardReadMs: Millis.default(120_000).describe('How long a card read remains usable'),
      idleLockMs: z
        .int()
        .min(60_000)
        .default(900_000)
        .describe('Time without a key, a touch or a scan after which the person is signed out; the sale remains'),
      signedInMs: Millis.default(43_200_000).describe('How long a person stays signed in at most'),
      pinDigits: z.int().min(4).max(8).default(4).describe('Shortest PIN'),
      echoIntervalMs: Millis.default(60_000),
      offerRefreshMs: Millis.default(900_000),
      clockToleranceMs: Millis.default(300_000).describe(
        'Difference between the clocks of the terminal and the loyalty service from which the terminal warns',
      ),
      backupKeepDays: z.int().min(1).max(3_650).default(14).describe('How long a daily backup is kept'),
    })
    .prefault({}),
  backups: z
    .strictObject({
      copyTo: z
        .string()
        .min(1)
        .optional()
        .describe(
          'A second folder for each backup, such as one on a USB stick: an absolute path. It must exist; a ' +
            'folder in it is made for each lane. Left out: none',
        ),
    })
    .prefault({}),
  updates: z
    .strictObject({
      url: Url.optional().describe(
        'Where new versions of the program are published, for a lane that was installed from a package. Left out: none',
      ),
    })
    .prefault({}),
  connection: ConnectionSettings.prefault({}).describe('The connection to the program’s services'),
  approvals: ApprovalSettings.prefault({}).describe('Permissions of roles, and whose PIN approves what'),
  shifts: ShiftSettings.prefault({}).describe('The custody of the drawer, and cash movements'),
  accounting: AccountingSettings.prefault({}).describe('Accounts of the store’s books in the accounting export'),
  payments: z
    .array(PaymentKind)
    .min(1)
    .default(['cash', 'card', 'voucher'])
    .describe('Payment types in addition to miles'),
  coupons: z.array(Coupon).default([]),
  manufacturerCoupons: z.array(ManufacturerCoupon).default([]),
  promotions: z.array(Promotion).max(MAX_PROMOTIONS).default([]),
  deposits: DepositSettings.prefault({}).describe('Deposits, environmental fees and empty containers'),
  controlCodes: ControlPrefix.optional().describe(
    'The store’s prefix of control barcodes (npm run milepost scan-card). Left out: no control barcodes',
  ),
  ageChecks: AgeChecks.prefault({}).describe('Items with a minimum age'),
  goodsChecks: GoodsChecks.prefault({}).describe('Items that are expired or recalled by their GS1 code'),
  returns: ReturnSettings.prefault({}).describe('Rules of returns; the permission `return-override` overrides them'),
  signIn: SignInSettings.prefault({}).describe('Sign-in by other means than the PIN'),
  catalog: z.strictObject({
    file: z.string().min(1).describe('CSV of items, in the folder of the profile or below it'),
    departments: z.array(DepartmentSettings).default([]),
  }),
  receipt: z
    .strictObject({
      logo: z
        .strictObject({ file: z.string().min(1) })
        .optional()
        .describe('PNG in the folder of the profile, black on white, at most 504 dots wide'),
      link: Url.max(100)
        .regex(/^[\x21-\x7e]*$/, expected('plainAddress'))
        .optional()
        .describe('Printed as a QR code above the barcode'),
      email: ReceiptEmail.optional().describe('Receipts by e-mail. Left out: none'),
      online: OnlineReceipts.optional().describe(
        'With a store server: receipts behind a QR code on paper and on the customer display. Left out: none',
      ),
      secondLanguage: Locale.optional().describe(
        'Receipts have each text in this language too, after their own. Left out: one language',
      ),
      header: z.array(z.string()).default([]),
      footer: eachLocale(z.array(z.string())).default(perLocale(() => [])),
    })
    .prefault({}),
  staff: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9-]{1,40}$/),
        name: z.string().min(1),
        role: z.enum(['cashier', 'supervisor', 'manager']),
        locale: Locale,
        trainingPin: z
          .string()
          .regex(/^\d{4,8}$/)
          .optional()
          .describe('Training mode only; on a real lane the installer sets PINs (set-pin, see docs/lane.md)'),
      }),
    )
    .default([]),
  training: z
    .strictObject({
      cards: z
        .array(
          z.strictObject({
            id: z.string().regex(/^[a-z0-9-]{1,40}$/),
            label: eachLocale(z.string()),
            number: z.string().regex(/^\d{8,19}$/),
          }),
        )
        .default([]),
    })
    .optional(),
})
export type Profile = z.infer<typeof Profile>
