/** Where the identity provider is mounted. */
export const IDENTITY_PATH = '/oidc'
export const TOKEN_PATH = `${IDENTITY_PATH}/token`
/** Where a token is ended (RFC 7009). */
export const REVOCATION_PATH = `${TOKEN_PATH}/revocation`
/**
 * Where a partner's screen asks for a device code (RFC 8628 §3.1), and the page where the member enters the user code.
 */
export const DEVICE_AUTHORIZATION_PATH = `${IDENTITY_PATH}/device/auth`
export const MEMBER_PAGE_PATH = `${IDENTITY_PATH}/device`
